package dev.perigee.local.cli;

import dev.perigee.part.ClientCommand;
import dev.perigee.part.ExitCode;
import dev.perigee.part.Output;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.ToolMethod;
import dev.perigee.protocol.tool.ToolOutcome;
import dev.perigee.protocol.tool.ToolRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import tools.jackson.databind.JsonNode;

/** Lists the tools that a user can call now. */
@Command(
        name = "tools",
        header = "List the tools that a user can call now.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee tools --team t1 --user u1",
            "  perigee tools --team t1 --user u1 --search 'add numbers'"
        })
final class ToolsCommand extends ClientCommand {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final int LONGEST = 100;

    @ParentCommand private Perigee perigee = new Perigee();

    @Option(names = "--team", paramLabel = "ID", required = true, description = "The team's id.")
    private String team = "";

    @Option(names = "--user", paramLabel = "ID", required = true, description = "The user's id.")
    private String user = "";

    @Option(names = "--search", paramLabel = "TEXT", description = "Only what matches best.")
    private @Nullable String search;

    @Override
    public Integer call() throws InterruptedException {
        var method = search == null ? ToolMethod.TOOLS_LIST : ToolMethod.TOOLS_SEARCH;
        var request =
                new ToolRequest(
                        "cli-" + UUID.randomUUID(),
                        team,
                        user,
                        method.wireName(),
                        null,
                        null,
                        null,
                        TIMEOUT.toMillis(),
                        search,
                        null);
        var output = output();
        try (var _ = waiting("Waiting for the answer")) {
            var answer =
                    ToolAnswer.await(
                            perigee.clients(), connection(), request, TIMEOUT.plusSeconds(5));
            if (answer != null
                    && answer.outcome() == ToolOutcome.SUCCESS
                    && answer.result() != null
                    && !output.isJson()) {
                table(answer.result(), output);
                return ExitCode.OK;
            }
            return ToolAnswer.print(answer, output, this::warn);
        }
    }

    private void table(RawJson result, Output output) {
        var rows = new ArrayList<List<String>>();
        for (JsonNode tool : Json.tree(result.bytes()).path("tools")) {
            var description = tool.path("description").asString("");
            rows.add(
                    List.of(
                            tool.path("tool_path").asString(""),
                            shortened(description.lines().findFirst().orElse(""))));
        }
        if (rows.isEmpty()) {
            warn(
                    search == null
                            ? "The user has no tools now; 'perigee status' shows the servers."
                            : "No tool matches.");
            return;
        }
        output.table(List.of("TOOL", "DESCRIPTION"), rows);
    }

    private static String shortened(String text) {
        return text.length() <= LONGEST ? text : text.substring(0, LONGEST - 3) + "...";
    }
}
