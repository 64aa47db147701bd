package dev.perigee.local.cli;

import dev.perigee.protocol.audit.AuditAction;
import picocli.CommandLine.Command;

/** Hides one tool and refuses its calls. */
@Command(
        name = "disable-tool",
        header = "Hide one tool of an installation, and refuse its calls.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee disable-tool --team t1 --user u1 abc123 --tool echo --reason leaks",
            "  perigee disable-tool --server everything --tool echo --dry-run"
        })
final class DisableToolCommand extends ToolCommand {
    DisableToolCommand() {
        super(AuditAction.DISABLE_TOOL);
    }
}
