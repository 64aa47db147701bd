package dev.perigee.worker.instance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.worker.mcp.ServerInfo;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("OPS-02: which release a server is of")
final class ServerVersionTest {

    private static ServerConfig config(@Nullable String commit) {
        var sha = commit == null ? "null" : "\"" + commit + "\"";
        return Json.read(
                """
                {"installation_id":"i","server_slug":"s","team_id":"t","team_slug":"t","user_id":"u",
                 "user_slug":"u","transport_type":"stdio","command":"npx","git_commit_sha":%s}
                """
                        .formatted(sha)
                        .getBytes(StandardCharsets.UTF_8),
                ServerConfig.class);
    }

    private static ServerInfo said(String version) {
        return new ServerInfo(
                "s",
                version,
                null,
                true,
                false,
                false,
                false,
                false,
                new ServerInfo.Said(RawJson.EMPTY_OBJECT, null, null));
    }

    @Test
    void isTheCommitThenThePackagesThenWhatTheServerSays() {
        var commit = "0123456789abcdef0123456789abcdef01234567";

        assertThat(ServerVersion.of(config(commit), "1.0.0", said("2"))).isEqualTo("0123456789ab");
        assertThat(ServerVersion.of(config(null), "1.0.0", said("2"))).isEqualTo("1.0.0");
        assertThat(ServerVersion.of(config(null), null, said("2"))).isEqualTo("2");
        assertThat(ServerVersion.of(config(null), null, null)).isNull();
    }

    @Test
    void isBoundedAndWithoutControlCharacters() {
        assertThat(ServerVersion.of(config(null), null, said("1\u202e.\n0"))).isEqualTo("1 . 0");
        assertThat(ServerVersion.of(config(null), null, said("\u0007"))).isNull();
        assertThat(ServerVersion.of(config(null), null, said("x".repeat(99) + "😀".repeat(9))))
                .hasSize(99);
        assertThat(ServerVersion.of(config("a"), null, null)).isEqualTo("a");
    }
}
