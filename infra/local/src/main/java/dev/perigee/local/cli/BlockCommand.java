package dev.perigee.local.cli;

import dev.perigee.protocol.audit.AuditAction;
import picocli.CommandLine.Command;

/** Stops an installation until it is started by intent. */
@Command(
        name = "block",
        header = "Stop an installation, or selected instances, until they are unblocked.",
        description =
                "Calls are answered with the error stopped. A restart, an unblock and a new configuration of the backend start it again.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee block --team t1 --user u1 abc123 --reason 'it sends spam'",
            "  perigee block --server everything --dry-run"
        })
final class BlockCommand extends ActionCommand {
    BlockCommand() {
        super(AuditAction.BLOCK);
    }
}
