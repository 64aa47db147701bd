package dev.perigee.local.cli;

import dev.perigee.protocol.audit.AuditAction;
import picocli.CommandLine.Command;

/** Restarts an installation with a fresh crash budget. */
@Command(
        name = "restart",
        header = "Restart an installation, or selected instances, with a fresh crash budget.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee restart --team t1 --user u1 abc123",
            "  perigee restart --team t1 abc123 --reason 'new network'",
            "  perigee restart --server everything --status permanently_failed --dry-run",
            "  perigee restart --team t1 --server everything --rate 5"
        })
final class RestartCommand extends ActionCommand {
    RestartCommand() {
        super(AuditAction.RESTART);
    }
}
