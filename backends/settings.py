"""Settings from the environment or ``.env``; explicit arguments win over both."""

from pathlib import Path
from typing import Literal

from pydantic import AliasChoices, Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from state.errors import ConfigError

IndexName = Literal["chroma", "keyword"]
EmbedderName = Literal["minilm", "multilingual-e5"]


def _ecosystem(ours: str, theirs: str) -> AliasChoices:
    return AliasChoices(ours, theirs)


class Settings(BaseSettings):
    """What the backends are and how calls to them are made.

    Every field can be set as ``CRAG_<FIELD>``; the key, the base URL and Tavily's key also
    by the names that the ecosystem uses.
    """

    model_config = SettingsConfigDict(
        env_prefix="CRAG_",
        env_file=".env",
        env_ignore_empty=True,
        extra="ignore",
        populate_by_name=True,
        frozen=True,
    )

    api_key: SecretStr | None = Field(
        None,
        validation_alias=_ecosystem("CRAG_API_KEY", "OPENAI_API_KEY"),
        description="Key of the OpenAI-compatible endpoint; without it the embedded default runs",
    )
    base_url: str | None = Field(
        None,
        validation_alias=_ecosystem("CRAG_BASE_URL", "OPENAI_BASE_URL"),
        description="Endpoint, like http://localhost:11434/v1; a local one needs no key",
    )
    model: str | None = Field(None, description="Model of every role (default gpt-5.4-mini)")
    grader_model: str | None = Field(None, description="Model that grades documents")
    rewriter_model: str | None = Field(None, description="Model that rewrites queries")
    generator_model: str | None = Field(None, description="Model that writes answers")
    checker_model: str | None = Field(None, description="Model that checks answers")
    triage_model: str | None = Field(None, description="Model that classifies questions")
    router_model: str | None = Field(None, description="Model that chooses sources")
    evaluator_model: str | None = Field(None, description="Model that judges the evidence")
    temperature: float = Field(0.0, ge=0, le=2, description="Sampling temperature")
    max_output_tokens: int = Field(1024, ge=16, description="Longest reply of a model, in tokens")
    context_window: int | None = Field(
        None, ge=512, description="The models' window in tokens, where it is not known"
    )
    timeout: float = Field(60.0, gt=0, description="Seconds that one call may take")
    max_attempts: int = Field(4, ge=1, le=10, description="Tries of a call whose failure may pass")
    min_wait: float = Field(0.5, ge=0, description="First wait between tries, in seconds")
    max_wait: float = Field(30.0, ge=0, description="Longest wait between tries, in seconds")
    max_concurrency: int = Field(256, ge=1, description="Calls to the outside at a time")
    index: IndexName = Field(
        "chroma", description="How documents are found: by nearness, or by words in common"
    )
    embedder: EmbedderName = Field(
        "minilm", description="Embedding model: small English, or multilingual (an extra)"
    )
    index_path: Path = Field(Path(".crag/index"), description="Where the document index lies")
    collection: str = Field("documents", min_length=1, description="Collection in the index")
    max_file_mb: float = Field(50.0, gt=0, description="Largest file that is ingested, in MB")
    tavily_api_key: SecretStr | None = Field(
        None,
        validation_alias=_ecosystem("CRAG_TAVILY_API_KEY", "TAVILY_API_KEY"),
        description="Key of the web search; without it the web is not searched",
    )
    tavily_base_url: str | None = Field(None, description="Tavily endpoint, for a proxy")
    mistral_api_key: SecretStr | None = Field(
        None,
        validation_alias=_ecosystem("CRAG_MISTRAL_API_KEY", "MISTRAL_API_KEY"),
        description="Key of the study graph's own model, unless CRAG_MODEL or a base URL is set",
    )
    mistral_base_url: str = Field("https://api.mistral.ai/v1", description="Mistral's endpoint")
    jina_api_key: SecretStr | None = Field(
        None,
        validation_alias=_ecosystem("CRAG_JINA_API_KEY", "JINA_API_KEY"),
        description="Key of the reranker API; without it the next tier scores",
    )
    jina_base_url: str = Field("https://api.jina.ai/v1", description="Endpoint of the reranker API")
    cross_encoder: Path | None = Field(
        None, description="Folder of a local cross-encoder: model.onnx, tokenizer.json"
    )
    wikipedia_url: str = Field(
        "https://{language}.wikipedia.org/w/api.php", description="Wikipedia's API"
    )
    arxiv_url: str = Field("https://export.arxiv.org/api/query", description="arXiv's API")
    log_format: Literal["text", "json"] = Field("text", description="How the log is written")

    @property
    def hosted(self) -> bool:
        """Whether a chat endpoint is configured; else the embedded default plays every role.

        Raises:
            ConfigError: A model is named but there is neither a key nor a base URL.
        """
        if self.api_key or self.base_url:
            return True
        if self.model:
            raise ConfigError(
                f"CRAG_MODEL is {self.model!r} but there is no key for it. Set OPENAI_API_KEY "
                "(or CRAG_BASE_URL for a local endpoint), or unset CRAG_MODEL to use the "
                "embedded default."
            )
        return False

    def model_of(self, role: str) -> str:
        """Return the name of the model that plays a role."""
        own: str | None = getattr(self, f"{role}_model", None)
        return own or self.model or "gpt-5.4-mini"
