package dev.perigee.local.replay;

import dev.perigee.protocol.config.ProcessIds;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import tools.jackson.databind.node.ObjectNode;

/**
 * Makes a configuration lead to the recorded server of the same process id, so that nothing of the
 * original is started or asked. What is no MCP server cannot be recorded, and is switched off.
 * Pure.
 */
final class RecordedConfig {
    /** What would start a program, reach something else, or send something along. */
    private static final List<String> OF_THE_ORIGINAL =
            List.of("command", "args", "env", "headers", "url_query_params", "egress", "oauth");

    private RecordedConfig() {}

    static void redirect(ObjectNode config, String url) {
        boolean isMcp = !config.path("transport_type").asString("").equals("command");
        if (!isMcp) {
            config.put("enabled", false);
            return;
        }
        var process =
                ProcessIds.of(
                        config.path("server_slug").asString(""),
                        config.path("team_slug").asString(""),
                        config.path("user_slug").asString(""),
                        config.path("installation_id").asString(""));
        config.remove(OF_THE_ORIGINAL);
        config.put("transport_type", "http");
        config.put("url", url + "/servers/" + URLEncoder.encode(process, StandardCharsets.UTF_8));
    }
}
