package dev.perigee.local.cli;

import dev.perigee.protocol.audit.AuditAction;
import picocli.CommandLine.Option;

/** Action on one tool of an installation. */
abstract class ToolCommand extends ActionCommand {
    @Option(
            names = "--tool",
            paramLabel = "NAME",
            required = true,
            description = "The tool's name, without the server's slug.")
    private String tool = "";

    ToolCommand(AuditAction action) {
        super(action);
    }

    @Override
    final String tool() {
        return tool;
    }
}
