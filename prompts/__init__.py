"""The prompts, one Markdown file each, and what fills them in."""

from prompts.loader import Prompt, load

__all__ = ["Prompt", "load"]
