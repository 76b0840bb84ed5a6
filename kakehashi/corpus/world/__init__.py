"""The built-in world: a synthetic bilingual patent collection made from a glossary and two grammars."""

from kakehashi.corpus.world.build import build_world

__all__ = ["build_world"]
