package dev.perigee.local.masking;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.Json;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

@DisplayName("Masking of a span")
final class RecordMaskingTest {
    private final RecordMasking masking = new RecordMasking(new Masks(new byte[32]));

    private static JsonNode tree(String json) {
        return Json.tree(json.getBytes(StandardCharsets.UTF_8));
    }

    private static String configure(String token) {
        return """
            {"id":"c","command_type":"configure","payload":{"event":"mcp_installation_created",
             "installation_id":"i","team_id":"t1","config":{"installation_id":"i","team_id":"t1",
             "server_slug":"f-server","args":["--api-key","K-3y-of-args","-v"],
             "env":{"MY_TOKEN":%s,"WHO":"t1","LOG_LEVEL":"debug","PLAIN":"vault","OTHER":"x9-abcdefgh"},
             "headers":{"Authorization":"Bearer b3arer-value"},
             "secret_metadata":{"env":["PLAIN"]}}}}
            """
                .formatted(JsonNodeFactory.instance.stringNode(token));
    }

    private String masked(String json, boolean isFromBackend) {
        return masking.masked(tree(json), isFromBackend).toString();
    }

    @Test
    @DisplayName("leaves shape and harmless values, and gives equal secrets equal masks")
    void keepsShape() {
        masking.collect(tree(configure("abcd-1234-efgh")), true);
        masking.freeze();

        var config = tree(masked(configure("abcd-1234-efgh"), true)).at("/payload/config");

        assertThat(config.at("/env/MY_TOKEN").asString()).matches("masked-[0-9a-f]{12}");
        assertThat(config.at("/env/LOG_LEVEL").asString()).isEqualTo("debug");
        assertThat(config.at("/env/PLAIN").asString()).startsWith("masked-");
        assertThat(config.at("/headers/Authorization").asString()).startsWith("masked-");
        assertThat(config.at("/args/0").asString()).isEqualTo("--api-key");
        assertThat(config.at("/args/1").asString()).startsWith("masked-");
        assertThat(config.at("/secret_metadata/env/0").asString()).isEqualTo("PLAIN");
        assertThat(config.at("/team_id").asString()).isEqualTo("t1");
        assertThat(tree(masked("{\"text\":\"abcd-1234-efgh\"}", false)).path("text"))
                .isEqualTo(config.at("/env/MY_TOKEN"));
    }

    @Test
    @DisplayName("leaves references to secrets, and masks what else an object says")
    void keepsReferences() {
        var command =
                """
                {"id":"c","command_type":"configure","payload":{"team_id":"t1","config":{
                 "team_id":"t1","env":{"MY_TOKEN":{"ref":"my-token"},"PASSWORD":{"ref":"no name"},
                 "API_KEY":{"ref":"my-key","was":"abcd-1234-efgh"},
                 "PLACE":{"ref":"my-place","value":"some plain text"}}}}}
                """;
        masking.collect(tree(command), true);
        masking.freeze();

        var env = tree(masked(command, true)).at("/payload/config/env");

        assertThat(env.at("/MY_TOKEN/ref").asString()).isEqualTo("my-token");
        assertThat(env.at("/PASSWORD/ref").asString()).startsWith("masked-");
        assertThat(env.at("/API_KEY/was").asString()).startsWith("masked-");
        assertThat(env.at("/PLACE/value").asString()).startsWith("masked-");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "abcd-1234-efgh",
                "hunter",
                "wörd \"quoted\" \\ and\nline",
                "p@ss/word+1&2=3",
                "v4lu"
            })
    @DisplayName("finds a secret in any other record, in every form in which texts carry it")
    void findsEverywhere(String secret) {
        masking.collect(tree(configure(secret)), true);
        masking.freeze();
        var json = JsonNodeFactory.instance;
        var inner = json.objectNode().put("said", secret).toString();
        var result = json.objectNode();
        result.put("text", "it is " + secret + "!");
        result.put("json", inner);
        result.put("twice", json.stringNode(inner).toString());
        result.put("url", "http://h/?q=" + URLEncoder.encode(secret, StandardCharsets.UTF_8));
        result.put(
                "base64",
                Base64.getEncoder().encodeToString(secret.getBytes(StandardCharsets.UTF_8)));
        result.put(secret, 1);

        var masked = masking.masked(result, false);

        var shown = masked.toString() + masking.masked("key/" + secret);
        assertThat(shown).doesNotContain(secret).doesNotContain(escaped(secret));
        assertThat(masked.path("json").asString()).doesNotContain(escaped(secret));
        assertThat(masked.path("twice").asString()).doesNotContain(escaped(escaped(secret)));
        assertThat(masked.path("url").asString())
                .doesNotContain(URLEncoder.encode(secret, StandardCharsets.UTF_8));
        if (secret.length() >= 8) {
            assertThat(masked.path("base64").asString()).startsWith("masked-");
        }
    }

    private static String escaped(String text) {
        var json = JsonNodeFactory.instance.stringNode(text).toString();
        return json.substring(1, json.length() - 1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"DB_PASS", "smtpPass", "apiKeys", "api_keys", "creds", "db_pw", "session"})
    @DisplayName("takes each name that configurations have for secrets, as field and as variable")
    void names(String name) {
        var config = "{\"payload\":{\"config\":{\"env\":{\"%s\":\"hunter\"}}}}".formatted(name);
        var result = "{\"result\":{\"%s\":[\"correct\"]}}".formatted(name);
        masking.collect(tree(config), true);
        masking.collect(tree(result), false);
        masking.freeze();

        assertThat(masked(config, true) + masked(result, false))
                .doesNotContain("hunter")
                .doesNotContain("correct");
        assertThat(masked("{\"error\":\"no hunter is correct\"}", false))
                .doesNotContain("hunter")
                .doesNotContain("correct");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--password hunter | hunter | no hunter here",
                "TOKEN=abcde | abcde | got abcde",
                "postgres://u:correcthorse@db | correcthorse | is correcthorse ok",
                "postgres://u:p%40ssw0rd1@h | p@ssw0rd1 | for p@ssw0rd1!",
                "https://h/?api_key=a%2Fb%20c%7Ed | a/b c~d | not a/b c~d"
            })
    @DisplayName("takes what has the form of a secret in arguments, as it is meant, too")
    void forms(String arguments, String secret, String error) {
        var json = JsonNodeFactory.instance;
        var command = json.objectNode().put("command_type", "configure");
        var config = command.putObject("payload").putObject("config");
        config.putArray("args").add(arguments.split(" ")[0]).add(last(arguments));
        masking.collect(command, true);
        masking.freeze();

        assertThat(masked(json.objectNode().put("error", error).toString(), false))
                .doesNotContain(secret);
    }

    private static String last(String arguments) {
        return arguments.substring(arguments.indexOf(' ') + 1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "q=p%40ss%2Fw%20rd%C3%A4!~x9",
                "q=p%40ss%2fw+rd%c3%a4%21~x9",
                "q=p%40ss/w%20rd%C3%A4%21%7Ex9",
                "q=%70%40%73%73/%77%20rd%C3%A4%21%7E%78%39",
                "q=p%2540ss%252Fw%2520rd%25C3%25A4!~x9",
                "{\"a\":\"p@ss\\/w rd\\u00e4!~x9\"}",
                "%22p%40ss%5C%2Fw%20rd%5Cu00E4!~x9%22"
            })
    @DisplayName("finds a secret as each encoder of URLs and of JSON writes it")
    void encoders(String text) {
        masking.collect(tree(configure("p@ss/w rdä!~x9")), true);
        masking.freeze();

        assertThat(masking.masked(text))
                .contains("masked-")
                .doesNotContain("ss", "rd", "x9", "78%39");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "u", "me", "you"})
    @DisplayName("finds a secret in base 64 of a longer text")
    void base64(String before) {
        var secret = "pa55-w0rd";
        masking.collect(tree(configure(secret)), true);
        masking.freeze();
        var bytes = (before + secret + ":behind").getBytes(StandardCharsets.UTF_8);

        var masked = masking.masked("Basic " + Base64.getEncoder().encodeToString(bytes));

        assertThat(masked).contains("masked-");
        assertThat(masked.replaceAll("masked-[0-9a-f]{12}", "").length())
                .isLessThan(
                        "Basic ".length() + 4 * (before.length() + ":behind".length() + 4) / 3 + 4);
    }

    @Test
    @DisplayName("leaves a sentence's word behind a secret's name, as far as it stands elsewhere")
    void sentences() {
        masking.collect(tree("{\"text\":\"the password: required, then p4ssw0rd: x\"}"), false);
        masking.freeze();

        assertThat(masked("{\"required\":1}", false)).isEqualTo("{\"required\":1}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'arguments':{'admin_pin':98765432}}",
                "{'arguments':{'account_token':98765432}}",
                "{'arguments':{'auth':{'account_id':98765432}}}",
                "{'arguments':{'password':'98765432'}}",
                "{'payload':{'config':{'env':{'DB_PASS':98765432}}}}",
                "{'payload':{'config':{'env':{'PLAIN':98765432},'secret_metadata':['PLAIN']}}}",
                "{'payload':{'config':{'headers':{'X-Auth':98765432}}}}",
                "{'payload':{'config':{'args':['--api-key',98765432]}}}"
            })
    @DisplayName("takes a number of a secret's name, and finds it as number and text elsewhere")
    void numbers(String written) {
        var record = written.replace('\'', '"');
        masking.collect(tree(record), true);
        masking.freeze();

        assertThat(masked(record, true)).doesNotContain("98765432").contains("\"masked-");
        assertThat(masked("{\"a\":98765432,\"count\":[98765432,\"98765432\"]}", false))
                .doesNotContain("98765432");
    }

    @Test
    @DisplayName("masks a number of a variable whose name says nothing, only there")
    void plainNumbers() {
        var record = "{\"payload\":{\"config\":{\"env\":{\"FLOOR\":4711,\"PORT\":8080}}}}";
        masking.collect(tree(record), true);
        masking.freeze();

        assertThat(masked(record, true)).doesNotContain("4711").contains("\"PORT\":8080");
        assertThat(masked("{\"a\":4711}", false)).isEqualTo("{\"a\":4711}");
    }

    @Test
    @DisplayName("leaves amounts, also where a short secret has the same digits")
    void amounts() {
        masking.collect(tree("{\"arguments\":{\"pin\":2048}}"), true);
        masking.freeze();
        var usage =
                "{\"max_tokens\":2048,\"tokenLimit\":2048,\"auth\":{\"expires_at\":1700000000}}";

        assertThat(masked(usage, false)).isEqualTo(usage);
    }

    @Test
    @DisplayName("leaves the keys that tools look things up by")
    void keys() {
        var request = "{\"arguments\":{\"key\":\"colour\",\"keys\":[\"status\"]}}";
        masking.collect(tree(request), true);
        masking.freeze();

        assertThat(masked(request, true)).isEqualTo(request);
    }

    @Test
    @DisplayName("finds the token of a header, the password of Basic and of a URL, and a number")
    void parts() {
        var basic =
                Base64.getEncoder()
                        .encodeToString("me:pa55-of-basic".getBytes(StandardCharsets.UTF_8));
        var request =
                """
                {"request_id":"r","team_id":"t","user_id":"u","arguments":{
                 "headers":{"X-Auth":"Basic %s","Authorization":"Bearer b3arer-value"},
                 "url":"postgres://me:pa55-of-url@h/db","pin":98765432,"max_tokens":123456}}"""
                        .formatted(basic);
        masking.collect(tree(request), true);
        masking.freeze();

        assertThat(masked(request, true))
                .doesNotContain("pa55", "b3arer", "98765432", basic)
                .contains("123456", "postgres://me:masked-");
        assertThat(masked("{\"a\":\"pa55-of-basic pa55-of-url b3arer-value 98765432\"}", false))
                .doesNotContain("pa55", "b3arer", "98765432");
    }

    @Test
    @DisplayName("leaves what names a team, words, and masks")
    void leaves() {
        masking.collect(tree(configure("masked-0123456789ab")), true);
        masking.collect(tree(configure("true")), true);
        masking.freeze();

        assertThat(masked("{\"a\":\"t1 true masked-0123456789ab f-server\"}", false))
                .contains("t1 true masked-0123456789ab f-server");
        assertThat(masking.masked("t1/u1")).isEqualTo("t1/u1");
    }

    @Test
    @DisplayName("leaves schemas, but for secrets that they give as defaults")
    void schemas() {
        var tools =
                """
                {"tools":[{"input_schema":{"type":"object","properties":{
                 "api_key":{"type":"string","default":"d3fault-key"}},"required":["api_key"]}}]}""";
        masking.collect(tree(tools), false);
        masking.freeze();

        assertThat(masked(tools, false))
                .contains("\"type\":\"string\"", "\"required\":[\"api_key\"]")
                .doesNotContain("d3fault-key");
    }
}
