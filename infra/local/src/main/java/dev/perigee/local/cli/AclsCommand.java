package dev.perigee.local.cli;

import dev.perigee.local.client.AccessRight;
import dev.perigee.local.client.AccessRole;
import dev.perigee.local.client.AccessSetup;
import dev.perigee.part.CliException;
import dev.perigee.part.ClientCommand;
import dev.perigee.part.ExitCode;
import dev.perigee.part.Output;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows or grants the least rights that a part needs in Kafka. */
@Command(
        name = "acls",
        header = "Show the least rights that a part needs in Kafka, or grant them.",
        description = {
            "Prints the kafka-acls commands that grant a principal what a gateway, a backend, a"
                    + " door, an operator of this command line, perigee topics, perigee erase, perigee"
                    + " backup, perigee restore, or perigee replay where it reads and where it"
                    + " writes needs, and nothing else. Workers need no rights: they do not talk"
                    + " to Kafka.",
            "",
            "With --create it grants them itself, as whoever --kafka-config says."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee acls gateway --principal User:gateway",
            "  perigee acls backend --principal User:shop --group shop- \\",
            "      --replies mcp.replies.shop",
            "  perigee acls operator --principal User:ops --create \\",
            "      --kafka-config admin.properties"
        })
final class AclsCommand extends ClientCommand {
    @Parameters(
            index = "0",
            paramLabel = "ROLE",
            description = "For whom: ${COMPLETION-CANDIDATES}.")
    private AccessRole role = AccessRole.GATEWAY;

    @Option(
            names = "--principal",
            paramLabel = "TYPE:NAME",
            description = "Who that is to Kafka (default: User: and the role).")
    private @Nullable String principal;

    @Option(
            names = "--group",
            paramLabel = "GROUP",
            description =
                    "Of a gateway and of restore the gateways' group.id, of a backend what its"
                            + " groups begin with (default: the prefix and gateway, the prefix and"
                            + " backend).")
    private @Nullable String group;

    @Option(
            names = "--replies",
            paramLabel = "TOPIC",
            description =
                    "A topic of a backend's own for replies: gateways write there, the backend"
                            + " reads. With * at its end all that begin so. May be repeated.")
    private List<String> replies = List.of();

    @Option(names = "--create", description = "Grant the rights instead of printing commands.")
    private boolean create;

    /** What is granted, for machines. */
    private record Granted(
            String principal, AccessRight.Scope scope, String name, String operation) {}

    @Override
    public Integer call() throws InterruptedException {
        var names = connection().names();
        var rights = role.rights(names, group == null ? role.usualGroup(names) : group, replies);
        var who = principal == null ? "User:" + role : principal;
        if (who.indexOf(':') < 1) {
            throw CliException.usage(
                    "--principal " + who + ": write it as TYPE:NAME, such as User:" + who);
        }
        if (create) {
            try (var _ = waiting("Asking Kafka");
                    var setup = new AccessSetup(connection())) {
                setup.grant(who, rights);
            }
        }
        print(who, rights, output());
        return ExitCode.OK;
    }

    private void print(String who, List<AccessRight> rights, Output output) {
        if (output.isJson()) {
            for (var right : rights) {
                output.json(new Granted(who, right.scope(), right.name(), right.operationName()));
            }
        } else if (create) {
            output.line("%s has the %d rights it needs.".formatted(who, rights.size()));
        } else {
            commands(connection().bootstrap(), who, rights).forEach(output::line);
        }
    }

    /** Those that share their operations are granted together. */
    private static List<String> commands(String bootstrap, String who, List<AccessRight> rights) {
        record Thing(AccessRight.Scope scope, String target) {}

        var operations = new LinkedHashMap<Thing, Set<String>>();
        for (var right : rights) {
            operations
                    .computeIfAbsent(
                            new Thing(right.scope(), right.target()), _ -> new LinkedHashSet<>())
                    .add(right.operationName());
        }
        record Alike(AccessRight.Scope scope, Set<String> operations) {}

        var targets = new LinkedHashMap<Alike, List<String>>();
        operations.forEach(
                (thing, allowed) ->
                        targets.computeIfAbsent(
                                        new Alike(thing.scope(), allowed), _ -> new ArrayList<>())
                                .add(thing.target()));
        var commands = new ArrayList<String>();
        targets.forEach(
                (alike, all) -> {
                    var command = new StringBuilder("kafka-acls --bootstrap-server ");
                    command.append(bootstrap).append(" --add --allow-principal ").append(who);
                    alike.operations()
                            .forEach(each -> command.append(" --operation ").append(each));
                    if (alike.scope().isPrefix()) {
                        command.append(" --resource-pattern-type prefixed");
                    }
                    all.forEach(target -> command.append(' ').append(target));
                    commands.add(command.toString());
                });
        return commands;
    }
}
