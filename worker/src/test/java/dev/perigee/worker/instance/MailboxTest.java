package dev.perigee.worker.instance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Who attends to a mailbox, and when nobody does. */
final class MailboxTest {
    private final AtomicInteger calls = new AtomicInteger();
    private final Mailbox mailbox = new Mailbox(calls::incrementAndGet);

    @Test
    @DisplayName("the first message calls for somebody, and the next ones find them there")
    void callsOnce() throws Exception {
        mailbox.post(new Message.Due());
        mailbox.post(new Message.Due());

        assertThat(calls).hasValue(1);
        assertThat(mailbox.dismiss()).as("something waits").isFalse();
        while (!mailbox.dismiss()) {
            assertThat(mailbox.take(null)).isNotNull();
        }

        mailbox.post(new Message.Due());
        assertThat(calls).hasValue(2);
    }

    @Test
    @DisplayName("whoever is nudged looks again before they go, once")
    void isLookedAtAgain() {
        mailbox.nudge();
        assertThat(calls).hasValue(1);

        assertThat(mailbox.dismiss()).isFalse();
        assertThat(mailbox.dismiss()).isTrue();
        mailbox.nudge();
        assertThat(calls).hasValue(2);
    }
}
