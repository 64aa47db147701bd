package dev.perigee.worker.egress;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("What an address and a port lead to")
final class OwnPlacesTest {
    private static final InetAddress OWN = InetAddress.ofLiteral("203.0.113.9");
    private static final InetAddress OTHER = InetAddress.ofLiteral("203.0.113.8");

    private final OwnPlaces places = new OwnPlaces(OWN::equals);

    @Test
    @DisplayName(
            "is the worker where that listens, at any of the machine's addresses and no other's")
    void isTheWorker() {
        places.listensAt(7070);
        places.listensAt(7071);
        assertThat(places.at(OWN, 7070)).isEqualTo(Place.WORKER);
        assertThat(places.at(OWN, 7071)).isEqualTo(Place.WORKER);
        assertThat(places.at(OWN, 7072)).isEqualTo(Place.MACHINE);
        assertThat(places.at(OTHER, 7070)).isEqualTo(Place.ELSEWHERE);
    }

    @Test
    @DisplayName("may be the worker where the port is not at hand, and is not yet without a port")
    void withoutPort() {
        assertThat(places.at(OWN, -1)).isEqualTo(Place.MACHINE);
        places.listensAt(7070);
        assertThat(places.at(OWN, -1)).isEqualTo(Place.WORKER);
        assertThat(places.at(OWN, 0)).isEqualTo(Place.MACHINE);
        assertThat(places.at(OTHER, -1)).isEqualTo(Place.ELSEWHERE);
    }
}
