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

    @Test
    @DisplayName("are nobody's beyond what is free, so that there is room for the next")
    void fair() {
        var bytes = new Places(80, 100);
        assertThat(bytes.none("a").grow(70)).isTrue();

        assertThat(bytes.none("b").grow(31)).isFalse();
        assertThat(bytes.none("b").grow(20)).isTrue();
        assertThat(bytes.none("a").grow(1)).isFalse();
        assertThat(bytes.none("c").grow(10)).isTrue();
    }

    @Test
    @DisplayName("shrink by what is given back, while they are somebody's")
    void shrink() {
        var place = places.none("a");
        assertThat(place.grow(2)).isTrue();

        place.shrink(1);
        assertThat(places.taken()).isEqualTo(1);
        assertThat(place.grow(1)).isTrue();

        place.close();
        place.shrink(1);
        assertThat(places.taken()).isZero();
    }

    @Test
    @DisplayName("grow until they are given back, by whom they were handed over to")
    void handedOver() {
        var before = places.none("a");
        assertThat(before.grow(2)).isTrue();
        var now = before.handOver();

        before.close();
        assertThat(before.grow(1)).isFalse();
        assertThat(places.taken()).isEqualTo(2);

        now.close();
        assertThat(now.grow(1)).isFalse();
        assertThat(places.taken()).isZero();
    }
}
