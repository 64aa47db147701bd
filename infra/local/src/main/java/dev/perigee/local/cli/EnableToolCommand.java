package dev.perigee.local.cli;

import dev.perigee.protocol.audit.AuditAction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Enables a tool that was disabled. */
@Command(
        name = "enable-tool",
        header = "Show a disabled tool again, and let its calls pass.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee enable-tool --team t1 --user u1 abc123 --tool echo --reason mended",
            "  perigee enable-tool --server everything --tool echo --dry-run"
        })
final class EnableToolCommand extends ActionCommand {
    @Option(
            names = "--tool",
            paramLabel = "NAME",
            required = true,
            description = "The tool's name, without the server's slug.")
    private String tool = "";

    EnableToolCommand() {
        super(AuditAction.ENABLE_TOOL);
    }

    @Override
    String tool() {
        return tool;
    }
}
