package dev.perigee.local.cli;

import dev.perigee.protocol.audit.AuditAction;
import picocli.CommandLine.Command;

/** Starts an installation that was blocked. */
@Command(
        name = "unblock",
        header = "Start an installation, or selected instances, that were blocked.",
        description = "Ends well where the server comes online.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee unblock --team t1 --user u1 abc123 --reason 'the owner has mended it'",
            "  perigee unblock --server everything --dry-run"
        })
final class UnblockCommand extends ActionCommand {
    UnblockCommand() {
        super(AuditAction.UNBLOCK);
    }
}
