package dev.perigee.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class TextTableTest {
    @Test
    void alignsTheFirstColumnLeftAndTheOthersRight() {
        var table = new TextTable("way", "ms");
        table.row(List.of("pipe", "1.25"));
        table.row(List.of("Kafka", "10.00"));

        assertThat(table.text()).isEqualTo("way       ms\npipe    1.25\nKafka  10.00\n");
    }
}
