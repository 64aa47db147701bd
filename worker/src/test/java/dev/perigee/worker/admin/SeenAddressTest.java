package dev.perigee.worker.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Where a worker says that its admin pages are")
final class SeenAddressTest {
    @Test
    @DisplayName("is an address, also where it listens at a name that its container alone knows")
    void isAnAddress() throws Exception {
        assertThat(WorkerAdminServer.seen("localhost")).isIn("127.0.0.1", "0:0:0:0:0:0:0:1");
        assertThat(WorkerAdminServer.seen("10.1.2.3")).isEqualTo("10.1.2.3");
        assertThat(WorkerAdminServer.seen("::1")).isEqualTo("::1");
        assertThat(WorkerAdminServer.seen("0.0.0.0"))
                .isEqualTo(InetAddress.getLocalHost().getHostAddress());
        assertThat(WorkerAdminServer.seen("no-such-name.invalid"))
                .isEqualTo("no-such-name.invalid");
    }
}
