package dev.perigee.testing.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.testing.Checkout;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** Files by which an open project says how it is changed, released, reported to and kept fresh. */
@DisplayName("DEP-11: The project")
final class ProjectFilesTest {
    private static final Path ROOT = Checkout.root();

    /** Dependency manifests by file name, and the ecosystem in which Dependabot knows them. */
    private static final Map<String, String> ECOSYSTEMS =
            Map.of(
                    "package.json", "npm",
                    "pyproject.toml", "pip",
                    "Dockerfile", "docker",
                    "compose.yaml", "docker-compose");

    /** Modules that scripts/release deploys: the testkit and what it needs. */
    private static final List<String> RELEASED =
            List.of(
                    "protocol",
                    "infra/tracing",
                    "infra/link",
                    "gateway",
                    "worker",
                    "infra/console",
                    "infra/part",
                    "infra/part-gateway",
                    "infra/part-worker",
                    "infra/local",
                    "infra/testkit");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "CHANGELOG.md | ## ",
                "CHANGELOG.md | docs/versioning.md",
                "CODE_OF_CONDUCT.md | tells a maintainer in private",
                "CONTRIBUTING.md | ## Commits",
                "LICENSE | Apache License",
                "SECURITY.md | Report a vulnerability in private",
                "SECURITY.md | docs/versioning.md",
                "docs/versioning.md | topics, records, headers",
                "docs/versioning.md | link of gateway and worker",
                "docs/versioning.md | state topic",
                "docs/versioning.md | **Supported**",
                "docs/versioning.md | **Corpus.**",
                ".github/pull_request_template.md | CHANGELOG.md",
                ".github/pull_request_template.md | docs/versioning.md"
            })
    @DisplayName("says what may change when, what did, how to report and how to behave")
    void says(String file, String words) throws IOException {
        assertThat(ROOT.resolve(file)).content().contains(words.strip());
    }

    @Test
    @DisplayName("names these files in its README")
    void areFound() {
        assertThat(MarkdownPage.read(ROOT, ROOT.resolve("README.md")).links())
                .contains(
                        "CHANGELOG.md",
                        "CODE_OF_CONDUCT.md",
                        "CONTRIBUTING.md",
                        "LICENSE",
                        "SECURITY.md",
                        "docs/versioning.md");
    }

    @ParameterizedTest
    @ValueSource(strings = {"defect", "question", "wish"})
    @DisplayName("has forms for issues, which ask for something")
    void asks(String form) {
        var template = yaml(".github/ISSUE_TEMPLATE/" + form + ".yml");

        for (var key : List.of("name", "description", "labels")) {
            assertThat(template.has(key)).as(key).isTrue();
        }
        assertThat(template.path("body").valueStream())
                .anyMatch(field -> field.at("/validations/required").asBoolean(false));
        var settings = yaml(".github/ISSUE_TEMPLATE/config.yml");
        assertThat(settings.path("blank_issues_enabled").asBoolean(true)).isFalse();
    }

    @Test
    @DisplayName("has every manifest of dependencies looked after")
    void isUpdated() throws IOException {
        var updated = new TreeSet<String>();
        for (var update : yaml(".github/dependabot.yml").path("updates").valueStream().toList()) {
            var ecosystem = update.path("package-ecosystem").asString();
            assertThat(update.at("/schedule/interval").asString("")).isNotEmpty();
            Stream.concat(
                            update.path("directories").valueStream(),
                            Stream.of(update.path("directory")))
                    .filter(JsonNode::isString)
                    .forEach(folder -> updated.add(ecosystem + " " + folder.asString()));
        }

        assertThat(updated).contains("maven /").containsAll(manifests());
    }

    private static Set<String> manifests() throws IOException {
        var found = new TreeSet<String>();
        for (var file : SourceTree.files(ROOT)) {
            var ecosystem = ECOSYSTEMS.get(String.valueOf(file.getFileName()));
            if (ecosystem != null) {
                found.add(ecosystem + " /" + ROOT.relativize(file.resolveSibling("")));
            }
        }
        assertThat(found).hasSizeGreaterThan(ECOSYSTEMS.size());
        return found;
    }

    @Test
    @DisplayName("describes itself and each artifact of a release to Maven repositories")
    void isDescribed() {
        assertThat(ROOT.resolve("pom.xml"))
                .content()
                .contains("\n  <name>", "\n  <description>", "\n  <licenses>", "\n  <developers>");
        for (var module : RELEASED) {
            assertThat(ROOT.resolve(module).resolve("pom.xml"))
                    .content()
                    .contains("\n  <name>", "\n  <description>");
        }
        assertThat(ROOT.resolve("scripts/release"))
                .as("no address is known before a release has one")
                .content()
                .contains("--home URL", "<scm ");
    }

    private static JsonNode yaml(String file) {
        return new YAMLMapper().readTree(ROOT.resolve(file).toFile());
    }
}
