package dev.perigee.worker.instance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.EventBody.Notification;
import dev.perigee.protocol.json.RawJson;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("CAL-09: what a server notifies of, on its way")
final class ServerNoticesTest {
    private static final int PATIENCE_SECONDS = 20;

    private final ScheduledExecutorService timers = Executors.newScheduledThreadPool(1);
    private final BlockingQueue<EventBody> published = new LinkedBlockingQueue<>();
    private final CountDownLatch masking = new CountDownLatch(1);
    private final CountDownLatch masked = new CountDownLatch(1);

    private final class Outlet implements ServerNotices.Outlet {
        @Override
        public void publish(EventBody event) {
            published.add(event);
        }

        @Override
        public void remark(String what) {}
    }

    @AfterEach
    void end() {
        timers.shutdownNow();
    }

    private String slowly(String text) {
        masking.countDown();
        try {
            if (!masked.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("never masked");
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return text;
    }

    private String next() throws InterruptedException {
        return published.poll(PATIENCE_SECONDS, TimeUnit.SECONDS) instanceof Notification told
                ? told.method() + (told.params() == null ? "" : told.params().text())
                : "nothing";
    }

    @Test
    @DisplayName("holds up neither who says it nor timers, however long secrets are looked for")
    void slowMask() throws Exception {
        var notices = new ServerNotices(this::slowly, new Outlet(), timers);

        notices.said("notifications/x0", null);
        assertThat(masking.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        notices.said("notifications/x1", null);
        for (int each = 0; each < 100; each++) {
            notices.said("notifications/x2", RawJson.of("{\"n\":" + each + "}"));
        }
        var ran = new CountDownLatch(1);
        var _ =
                timers.schedule(
                        ran::countDown, 2 * PendingNotices.PAUSE.toMillis(), TimeUnit.MILLISECONDS);
        assertThat(ran.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(published).isEmpty();

        masked.countDown();
        assertThat(next()).isEqualTo("notifications/x0");
        assertThat(next()).isEqualTo("notifications/x1");
        assertThat(next()).isEqualTo("notifications/x2{\"n\":99}");
    }
}
