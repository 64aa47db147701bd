package dev.perigee.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class SecretsNoticeTest {
    private static final String KEY = "k:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    private final Map<String, String> given =
            new HashMap<>(
                    Map.of(
                            "kafka.bootstrap.servers",
                            "127.0.0.1:9092,localhost:9093",
                            "workers",
                            "ws://127.0.0.1:7070/link"));

    private Iterable<String> notices() {
        return SecretsNotice.notices(GatewaySettings.SCHEMA.read(given));
    }

    @Test
    void saysNothingOfAMachineByItself() {
        assertThat(notices()).isEmpty();
    }

    @Test
    void saysWhereSecretsAreKeptAndSentAsTheyCame() {
        given.put("kafka.bootstrap.servers", "192.0.2.1:9092");
        given.put("workers", "ws://192.0.2.2:7070/link,dns+ws://workers.invalid:7070/link");
        assertThat(notices())
                .hasSize(3)
                .anyMatch(notice -> notice.contains("state.encryption-keys-file"))
                .anyMatch(notice -> notice.contains("ws://192.0.2.2:7070/link"))
                .anyMatch(notice -> notice.contains("dns+ws://workers.invalid:7070/link"));

        given.put("state.encryption-keys", KEY);
        given.put("workers", "wss://192.0.2.2:7070/link");
        assertThat(notices()).isEmpty();
    }

    @Test
    void showsNoKey() {
        given.put("state.encryption-keys", KEY);
        var settings = GatewaySettings.SCHEMA.read(given);
        assertThat(settings.toString()).doesNotContain("AAAA");
        assertThat(settings.valueOrNull(GatewaySettings.STATE_KEYS)).hasToString("StateKeys[k]");
    }
}
