package dev.perigee.local.cli;

import dev.perigee.protocol.audit.AuditAction;
import picocli.CommandLine.Command;

/** Has a server over HTTP discovered again. */
@Command(
        name = "recover",
        header = "Discover an installation's server over HTTP again.",
        description = "A server that runs on a worker is left as it is.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee recover --team t1 --user u1 abc123 --reason 'the server is back'",
            "  perigee recover --server everything --dry-run"
        })
final class RecoverCommand extends ActionCommand {
    RecoverCommand() {
        super(AuditAction.RECOVER);
    }
}
