package dev.perigee.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.bench.stat.Spread;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;

class PlotTest {
    private static final Spread ONE = new Spread(1, 1, 1);
    private static final Spread TEN = new Spread(10, 8, 100);

    @Test
    void isXmlWithAPointForEachPlaceOfEachLine() throws Exception {
        var chart = new Chart("a < b & c", List.of("1", "16"), Map.of("one", List.of(ONE, TEN)));

        var svg = parsed(Plot.svg(List.of(chart, chart, chart)));

        assertThat(svg.getElementsByTagName("g").getLength()).isEqualTo(3);
        assertThat(svg.getElementsByTagName("circle").getLength()).isEqualTo(6);
        assertThat(svg.getElementsByTagName("text").item(0).getTextContent())
                .isEqualTo("a < b & c");
    }

    @Test
    void growsUpwards() throws Exception {
        var chart = new Chart("up", List.of("1", "2"), Map.of("one", List.of(ONE, TEN)));

        var circles = parsed(Plot.svg(List.of(chart))).getElementsByTagName("circle");

        double low = Double.parseDouble(((Element) circles.item(0)).getAttribute("cy"));
        double high = Double.parseDouble(((Element) circles.item(1)).getAttribute("cy"));
        assertThat(high).isLessThan(low);
    }

    @Test
    void refusesALineWithoutAPointAtEachPlace() {
        assertThatThrownBy(() -> new Chart("short", List.of("1", "2"), Map.of("a", List.of(ONE))))
                .hasMessageContaining("a has 1 points at 2 places");
    }

    private static Element parsed(String svg) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)))
                .getDocumentElement();
    }
}
