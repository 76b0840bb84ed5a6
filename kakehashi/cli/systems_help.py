"""The list of systems at the end of a command's help."""

from typing import Any

from typer.core import TyperCommand

from kakehashi.cli.terminal import say


class SystemsHelp(TyperCommand):
    """Its help ends with a list of all systems, including those of other packages."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        super().format_help(ctx, formatter)
        from kakehashi.systems.outside import RUN
        from kakehashi.systems.registry import SYSTEMS, offered

        lines = {spec.name: spec.summary for spec in (*SYSTEMS.values(), RUN)}
        lines |= {name: f"plug-in of {plugin.package}" for name, plugin in offered().items()}
        width = max(map(len, lines))
        say("Systems:\n")
        for name, summary in lines.items():
            say(f"  {name:{width}}  {summary}")
