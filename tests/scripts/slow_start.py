"""``crag``, stopped in the middle of an import, as on a slow disk."""

import sys
import time


class _Slow:
    def find_spec(self, name, path=None, target=None):
        if name == "langgraph.graph":
            print("importing", file=sys.stderr, flush=True)
            time.sleep(60)


if __name__ == "__main__":
    sys.meta_path.insert(0, _Slow())
    from scripts.cli import main

    main()
