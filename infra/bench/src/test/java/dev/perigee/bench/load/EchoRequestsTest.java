package dev.perigee.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.topic.RecordKey;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class EchoRequestsTest {
    private static final String RUN = "0123abcd";
    private final EchoRequests requests = EchoRequests.of(new RecordKey("team", "user"), "echo");

    @Test
    void makesRequestsThatAFleetTakes() {
        var request = Json.read(requests.request(RUN, 42), ToolRequest.class);

        assertThat(request.requestId()).isEqualTo(RUN + "000000000042");
        assertThat(request.key()).hasToString(new String(requests.key(), StandardCharsets.UTF_8));
        assertThat(request.toolPath()).isEqualTo("echo:echo");
    }

    @Test
    void readsItsOwnNumbersOnly() {
        var id = (RUN + "000000001234").getBytes(StandardCharsets.UTF_8);

        assertThat(EchoRequests.number(RUN, id)).isEqualTo(1234);
        assertThat(EchoRequests.number("ffffffff", id)).isNegative();
        assertThat(EchoRequests.number(RUN, new byte[3])).isNegative();
    }
}
