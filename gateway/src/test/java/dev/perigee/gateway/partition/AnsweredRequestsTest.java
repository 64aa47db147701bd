package dev.perigee.gateway.partition;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AnsweredRequestsTest {
    private final AnsweredRequests answered = new AnsweredRequests();

    @Test
    void anAnswerStaysFinalWhenItIsCommitted() {
        answered.byGateway(5);
        assertThat(answered.isFinal(5)).isTrue();
        assertThat(answered.isFinal(4)).isFalse();

        answered.committed(6);
        answered.committed(3);

        assertThat(answered.isFinal(5)).isTrue();
        assertThat(answered.isFinal(4)).isTrue();
        assertThat(answered.isFinal(6)).isFalse();
    }

    @Test
    void aResultBeforeItsRecordCountsOnce() {
        answered.beforeRead(7);
        assertThat(answered.isFinal(7)).isFalse();
        assertThat(answered.isReadAfter(7)).isTrue();
        assertThat(answered.isReadAfter(7)).isFalse();
    }
}
