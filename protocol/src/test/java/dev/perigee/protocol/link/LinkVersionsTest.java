package dev.perigee.protocol.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("DEP-08: the link negotiates a range of versions")
final class LinkVersionsTest {
    @ParameterizedTest
    @CsvSource({
        "1, 1, 1, 1, 1",
        "1, 2, 1, 1, 1",
        "1, 2, 2, 3, 2",
        "1, 4, 2, 3, 3",
        "1, 1, 2, 3,",
        "4, 5, 2, 3,"
    })
    void takesTheGreatestCommonVersion(
            int least, int greatest, int otherLeast, int otherGreatest, Integer common) {
        var one = new LinkVersions(least, greatest);
        var other = new LinkVersions(otherLeast, otherGreatest);

        assertThat(one.common(other)).isEqualTo(common);
        assertThat(other.common(one)).isEqualTo(common);
    }

    @Test
    void namesBothRangesAndWhatToUpgrade() {
        var old = new LinkVersions(1, 1);
        var recent = new LinkVersions(2, 3);

        assertThat(LinkVersions.mismatch(old, recent))
                .endsWith("the gateway speaks 1, the worker 2 to 3: upgrade the gateway");
        assertThat(LinkVersions.mismatch(recent, old))
                .endsWith("the gateway speaks 2 to 3, the worker 1: upgrade the worker");
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "2, 1", "-1, -1"})
    void isNoEmptyRange(int least, int greatest) {
        assertThatThrownBy(() -> new LinkVersions(least, greatest))
                .isInstanceOf(InvalidRecordException.class);
    }

    @Test
    @DisplayName("a gateway without negotiation names one version, a newer one the least it speaks")
    void isReadFromOldAndNewHellos() {
        var old = read("{\"gateway_id\":\"g\",\"protocol\":1}");
        assertThat(old.spoken()).isEqualTo(new LinkVersions(1, 1));

        var recent = Hello.Request.of("g", new LinkVersions(1, 3));
        assertThat(recent.protocol()).isEqualTo(1);
        assertThat(Json.read(Json.write(recent), Hello.Request.class).spoken())
                .isEqualTo(new LinkVersions(1, 3));
    }

    private static Hello.Request read(String json) {
        return Json.read(json.getBytes(StandardCharsets.UTF_8), Hello.Request.class);
    }
}
