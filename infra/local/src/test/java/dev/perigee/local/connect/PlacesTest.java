package dev.perigee.local.connect;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("CAL-20: places of a door's users")
final class PlacesTest {
    private final Places places = new Places(2, 3);

    @Test
    @DisplayName("are bounded for each user and in sum, and given back once")
    void bounded() {
        var first = places.take("a");
        assertThat(first).isNotNull();
        assertThat(places.take("a")).isNotNull();
        assertThat(places.take("a")).isNull();
        assertThat(places.take("b")).isNotNull();
        assertThat(places.take("c")).isNull();

        first.close();
        first.close();

        assertThat(places.taken()).isEqualTo(2);
        assertThat(places.take("c")).isNotNull();
        assertThat(places.take("a")).isNull();
    }
}
