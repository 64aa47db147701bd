package dev.perigee.local.cli;

import dev.perigee.protocol.audit.AuditAction;
import picocli.CommandLine.Command;

/** Enables a tool that was disabled. */
@Command(
        name = "enable-tool",
        header = "Show a disabled tool again, and let its calls pass.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee enable-tool --team t1 --user u1 abc123 --tool echo --reason mended",
            "  perigee enable-tool --server everything --tool echo --dry-run"
        })
final class EnableToolCommand extends ToolCommand {
    EnableToolCommand() {
        super(AuditAction.ENABLE_TOOL);
    }
}
