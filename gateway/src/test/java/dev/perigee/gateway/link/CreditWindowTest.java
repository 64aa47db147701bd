package dev.perigee.gateway.link;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class CreditWindowTest {
    private final CreditWindow window = new CreditWindow(100);

    @Test
    void tellsCreditInPortions() {
        window.taken(40);
        window.returned(24);
        assertThat(window.takeReturned()).isZero();

        window.returned(1);
        assertThat(window.takeReturned()).isEqualTo(25);
        assertThat(window.takeReturned()).isZero();
    }

    @Test
    void leavesTheWorkerMostOfTheWindowWhenNothingIsHeld() {
        long atWorker = window.grant();
        for (int event = 0; event < 1_000; event++) {
            window.taken(7);
            window.returned(7);
            atWorker += window.takeReturned() - 7;
            assertThat(atWorker).isBetween(75L, 100L);
        }
    }

    @Test
    void grantsWhatIsNotHeld() {
        window.taken(90);
        window.returned(20);
        assertThat(window.grant()).isEqualTo(30);
        assertThat(window.takeReturned()).as("granted already").isZero();
    }

    @Test
    void returnsWhatRepeatsTook() {
        window.wasted(30);
        assertThat(window.takeReturned()).isEqualTo(30);
    }
}
