"""The apt configuration of the private root: the system's settings first, ours last; runs nothing."""

from collections.abc import Sequence
from pathlib import Path

from kakehashi.errors import InputError

SYSTEM_SETTINGS = ("/etc/apt/apt.conf.d", "/etc/apt/apt.conf")

# Only the two kinds of index we read: desktops also download icons, containers disable translations.
TARGETS = """
#clear Acquire::IndexTargets;
Acquire::IndexTargets::deb::Packages {
  MetaKey "$(COMPONENT)/binary-$(ARCHITECTURE)/Packages";
  flatMetaKey "Packages";
  ShortDescription "Packages";
  Description "$(RELEASE)/$(COMPONENT) $(ARCHITECTURE) Packages";
  flatDescription "$(RELEASE) Packages";
  Optional "false";
};
Acquire::IndexTargets::deb::Translations {
  MetaKey "$(COMPONENT)/i18n/Translation-$(LANGUAGE)";
  flatMetaKey "$(LANGUAGE)";
  ShortDescription "Translation-$(LANGUAGE)";
  Description "$(RELEASE)/$(COMPONENT) Translation-$(LANGUAGE)";
  flatDescription "$(RELEASE) Translation-$(LANGUAGE)";
};
"""

# Hooks would act on the system; a sandbox user cannot write into the user's cache; cleaning up would
# delete the translations that an earlier build downloaded.
MANNERS = """
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
APT::Sandbox::User "root";
APT::Get::List-Cleanup "false";
APT::Keep-Downloaded-Packages "true";
Acquire::Retries "2";
"""


def config_text(folder: Path, languages: Sequence[str], architecture: str, earlier: str | None) -> str:
    """apt.conf for a root at `folder`; `earlier` is the file that APT_CONFIG already named, if any."""
    if '"' in str(folder) or "\n" in str(folder):
        raise InputError(
            f"{folder} cannot be a cache folder for apt: set XDG_CACHE_HOME to a path without quotes"
        )
    settings = [Path(path) for path in (*SYSTEM_SETTINGS, earlier) if path and Path(path).exists()]
    # a folder is included with a trailing slash
    included = [f'#include "{path}{"/" if path.is_dir() else ""}";' for path in settings]
    wanted = " ".join(f'"{language}";' for language in languages or ["none"])
    places = {
        "Dir::Etc::parts": "parts",  # empty: reading the system's configuration again would undo ours
        "Dir::Etc::main": "status",  # an empty file
        "Dir::State": "state",
        "Dir::State::lists": "state/lists",
        "Dir::State::status": "status",
        "Dir::Cache": "cache",
        "Dir::Cache::archives": "cache/archives",
        "Dir::Log": "log",
    }
    own = [f'{key} "{folder / name}";' for key, name in places.items()]
    ours = [
        "#clear Acquire::Languages;",
        f"Acquire::Languages {{ {wanted} }};",
        "#clear APT::Architectures;",
        f'APT::Architectures {{ "{architecture}"; }};',
    ]
    return "\n".join([*included, *own, *ours]) + TARGETS + MANNERS
