package dev.perigee.protocol.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ArgumentSecretsTest {
    /** Arguments are separated by a bar. */
    @ParameterizedTest
    @DisplayName("TEN-19: secrets in header, URL and user:password@ arguments are masked")
    @CsvSource(
            delimiterString = " => ",
            quoteCharacter = '^',
            value = {
                // headers
                "--header|Authorization: Bearer s3cret-v => --header|Authorization: Bearer ***",
                "--header|Authorization:s3cret-v => --header|Authorization:***",
                "-H|X-Api-Key: s3cret-v => -H|X-Api-Key: ***",
                "-H|X-Team-Blue: s3cret-v => -H|X-Team-Blue: ***",
                "-HAuthorization: Basic s3cret-v => -HAuthorization: Basic ***",
                "--header=Authorization: Bearer s3cret-v => --header=Authorization: Bearer ***",
                "--header=X-Key=s3cret-v => --header=X-Key=***",
                "--headers|{\"Authorization\":\"Bearer s3cret-v\",\"X\":\"s3cret-w\"} =>"
                        + " --headers|{\"Authorization\":\"Bearer ***\",\"X\":\"***\"}",
                "Authorization: Bearer s3cret-v => Authorization: Bearer ***",
                "Cookie: s3cret-v => Cookie: ***",
                // flags and variables
                "--api-key=s3cret-v => --api-key=***",
                "--apiKey|s3cret-v => --apiKey|***",
                "-token|s3cret-v => -token|***",
                "--token|'s3cret-v' => --token|'***'",
                "GITHUB_TOKEN=s3cret-v => GITHUB_TOKEN=***",
                "--env=API_KEY=s3cret-v => --env=API_KEY=***",
                "-e|DB_PASSWORD=s3cret-v|node => -e|DB_PASSWORD=***|node",
                "--auth|Bearer s3cret-v => --auth|Bearer ***",
                "--client.secret=a=s3cret-v => --client.secret=***",
                "-u|alice:s3cret-v => -u|alice:***",
                "--user=alice:s3cret-v => --user=alice:***",
                // URLs
                "https://alice:s3cret-v@host/path => https://alice:***@host/path",
                "https://s3cret-v@host/path?x=1 => https://***@host/path?x=1",
                "--url=postgres://a:s3cret-v@db:5432/x => --url=postgres://a:***@db:5432/x",
                "postgres://a:s3@cret-v@db/x => postgres://a:***@db/x",
                "postgres://a:s3/cret-v@db/x => postgres://a:***@db/x",
                "DATABASE_URL=redis://:s3cret-v@cache => DATABASE_URL=redis://:***@cache",
                "git+https://s3cret-v@github.com/o/r.git => git+https://***@github.com/o/r.git",
                "https://s3cret-v:x-oauth-basic@h/r => https://***:x-oauth-basic@h/r",
                "https://s3cret-v:@h/r => https://***:@h/r",
                "a:s3cret-v@tcp(db:3306)/x => a:***@tcp(db:3306)/x",
                "alice:s3cret-v@db.example:5432 => alice:***@db.example:5432",
                "https://h/p?a=1&api_key=s3cret-v&b=2 => https://h/p?a=1&api_key=***&b=2",
                "https://h/p#access_token=s3cret-v => https://h/p#access_token=***",
                "--remote|wss://h/?token=s3cret-v => --remote|wss://h/?token=***",
                // JSON
                "{\"apiKey\":\"s3cret-v\",\"port\":80} => {\"apiKey\":\"***\",\"port\":80}",
                "--config={\"db\":{\"password\": \"s3cret-v\"}} =>"
                        + " --config={\"db\":{\"password\": \"***\"}}",
                "{\"tokens\":[\"s3cret-v\",{\"x\":\"s3cret-w\"}]} =>"
                        + " {\"tokens\":[\"***\",{\"x\":\"***\"}]}",
                "{\"env\":{\"HOME_PAGE\":\"s3cret-v\"},\"a\":\"b\"} =>"
                        + " {\"env\":{\"HOME_PAGE\":\"***\"},\"a\":\"b\"}",
                "{\"args\":[\"--token\",\"s3cret-v\",\"x\"]} => {\"args\":[\"--token\",\"***\",\"x\"]}",
                "{\"url\":\"https://a:s3cret-v@h/\"} => {\"url\":\"https://a:***@h/\"}",
                "{\"pin\": 123456} => {\"pin\": ***}",
                "{'token': 's3cret-v', a: 1} => {'token': '***', a: 1}",
                "{\"password\": \"s3cret-v => {\"password\": \"***",
                // a shell's
                "-c|TOKEN=s3cret-v exec node x.js --port 80 => -c|TOKEN=*** exec node x.js --port 80",
                "-c|TOKEN=\"s3cret v\" node => -c|TOKEN=\"***\" node",
                "-c|curl -H 'Authorization: Bearer s3cret-v' http://h =>"
                        + " -c|curl -H 'Authorization: Bearer ***' http://h",
                "-c|srv --api-key s3cret-v --verbose => -c|srv --api-key *** --verbose",
                "-c|srv --header Authorization:\\ Bearer\\ s3cret-v --x =>"
                        + " -c|srv --header Authorization:*** --x",
                // other shapes
                "me@corp.com:s3cret-v@host => me@corp.com:***@host",
                "user:s3cret-v@ => user:***@",
                "//u:s3cret-v@h/ => //u:***@h/",
                "-H=X-Api-Key: s3cret-v => -H=X-Api-Key: ***",
                "-H 'X-Foo: s3cret-v' => -H 'X-Foo: ***'",
                "--header X-Foo: s3cret-v => --header X-Foo: ***",
                "--header|Authorization|s3cret-v => --header|Authorization|***",
                "--header|X-Foo|s3cret-v|x => --header|X-Foo|***|x",
                "--password|-s3cret-v|x => --password|***|x",
                "--token|-s3cret|x => --token|***|x",
                "---token|s3cret-v => ---token|***",
                "--creds|s3cret-v|--cred|s3cret-w => --creds|***|--cred|***",
                "--pw|s3cret-v|-U|u:s3cret-w => --pw|***|-U|u:***",
                "Server=h;Password=s3cret-v; => Server=h;Password=***;",
                "Server=h;User Id=sa;Pwd=s3cret-v => Server=h;User Id=sa;Pwd=***",
                "AccountName=a;AccountKey=s3cret-v== => AccountName=a;AccountKey=***",
                "jdbc:sqlserver://h;password=s3cret-v => jdbc:sqlserver://h;password=***",
                "jdbc:oracle:thin:scott/s3cret-v@h => jdbc:oracle:thin:scott/***@h",
                "{\"name\":\"token\",\"value\":\"s3cret-v\"} =>"
                        + " {\"name\":\"token\",\"value\":\"***\"}",
                "node --token s3cret-v => node --token ***",
                "--auth-header|Bearer s3cret-v => --auth-header|Bearer ***",
                "--headers.X-Foo=s3cret-v => --headers.X-Foo=***",
                "https://h/?next=https://a:s3cret-v@h/ => https://h/?next=https://a:***@h/",
                "https://h/?config=token=s3cret-v&b=2 => https://h/?config=token=***&b=2",
                "https://hooks.slack.com/services/T0/B0/s3cret => https://hooks.slack.com/services/***",
                "https://api.telegram.org/bot12:s3cret-v/x => https://api.telegram.org/bot***/x",
                // by its form
                "ghp_s3cretS3cret0 => ***",
                "say Bearer s3cret-v-and-more => say Bearer ***",
            })
    void masksSecrets(String args, String masked) {
        assertThat(masked(args)).isEqualTo(masked).doesNotContain("s3cret", "cret-v");
    }

    @ParameterizedTest
    @DisplayName("All other arguments stay readable")
    @ValueSource(
            strings = {
                "--port|8080",
                "-y|@modelcontextprotocol/server-filesystem@1.2.3|/data/files",
                "-p|8080|-h|localhost|-v",
                "--author|Bob Kahn",
                "--keyboard|de",
                "--max-tokens|4096",
                "--auth-type|oauth",
                "--token-file|/run/secrets/token",
                "--token-url=https://login.example/oauth2",
                "--no-auth|server.js",
                "--token|--verbose",
                "--token|--port=80",
                "--auth|-v|server.js",
                "--header|Accept|text/html",
                "--no-header|Name|data",
                "alias@npm:pkg@1.2.3",
                "git@github.com:repo@v1",
                "Server=h;Authentication=Default;Encrypt=true",
                "{\"name\":\"port\",\"value\":\"s\"}",
                "//host/share:x",
                "C:\\My\\ Files|--creds-file|x",
                "--header|Accept: text/html",
                "-H|Content-Type: application/json",
                "https://host:8443/path/@scope/x?page=2&q=a#top",
                "http://localhost:8080/@scope/pkg",
                "http://[::1]:8080/",
                "git@github.com:owner/repo.git",
                "git+ssh://github.com/o/r.git#v1",
                "npm:@scope/pkg@1.2.3",
                "npm:pkg@1.2.3",
                "node:20@sha256:0123456789abcdef",
                "-u|1000:1000",
                "--user|alice",
                "{\"port\":8080,\"name\":\"x\",\"auth\":true,\"list\":[\"a\",\"b\"]}",
                "[1, 2, \"three\"]",
                "-c|exec node server.js --port 8080 \"two words\"",
                "a=b=c=d",
                "--",
                "-",
                "it's",
                "/usr/bin/python3|-m|http.server",
                "user@example.com",
                "--since=10:30:00",
                "C:\\Users\\me:x",
            })
    void keepsTheRest(String args) {
        assertThat(masked(args)).isEqualTo(args);
    }

    @Test
    void givesValuesAsTheyAreReadToo() {
        assertThat(
                        ArgumentSecrets.values(
                                List.of(
                                        "x://h?token=a%20b%2Fc",
                                        "{\"secret\":\"q\\\"\\\\z\"}",
                                        "--header",
                                        "Authorization: Bearer abc")))
                .contains("a%20b%2Fc", "a b/c", "q\"\\z", "abc");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a",
                "\"",
                "'\"",
                "a=",
                "a=b ",
                "://",
                "x://:",
                "a:b,",
                "a:b@",
                "{",
                "[\"",
                "{\"a\":",
                "\\",
                "-H",
                "sk-",
                ";a",
                ";a=b",
                "//",
                "//a:",
                "jdbc:oracle:x:",
                "a@b.",
                "\\ ",
                "eyJ",
                "Bearer ",
                "?a=",
                "x://h?a=",
                "x://h/?a=b=",
                "&a=b",
                " ",
                "a.",
                "\"a\" '",
                "token: ",
                "--token "
            })
    void takesTimeInProportion(String unit) {
        var arg = unit.repeat(300_000 / unit.length());

        Assertions.assertTimeoutPreemptively(
                Duration.ofSeconds(20), () -> ArgumentSecrets.masked(List.of(arg, arg), "***"));
    }

    private static String masked(String args) {
        return String.join("|", ArgumentSecrets.masked(Arrays.asList(args.split("\\|")), "***"));
    }
}
