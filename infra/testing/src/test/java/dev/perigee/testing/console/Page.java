package dev.perigee.testing.console;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import tools.jackson.databind.JsonNode;

/** One page, used as a person uses it: keys, clicks, and what can be seen. */
final class Page {
    private static final Duration PATIENCE = Duration.ofSeconds(40);

    /** Keys that are not characters: their code, virtual code and text. */
    private static final Map<String, Key> NAMED =
            Map.of(
                    "Enter", new Key("Enter", 13, "\r"),
                    "Escape", new Key("Escape", 27, ""),
                    "Tab", new Key("Tab", 9, ""),
                    "ArrowDown", new Key("ArrowDown", 40, ""),
                    "ArrowUp", new Key("ArrowUp", 38, ""),
                    "ArrowLeft", new Key("ArrowLeft", 37, ""),
                    "ArrowRight", new Key("ArrowRight", 39, ""));

    private final DevTools tools;
    private final String session;
    private final List<String> problems = new CopyOnWriteArrayList<>();

    private record Key(String code, int virtual, String text) {}

    Page(DevTools tools, String session) {
        this.tools = tools;
        this.session = session;
        tools.listen(this::heard);
        for (var domain : List.of("Page", "Runtime", "Log")) {
            call(domain + ".enable", DevTools.parameters());
        }
        // Keys go to a page only while it is in front; so it is even where there is no window.
        call("Emulation.setFocusEmulationEnabled", DevTools.parameters().put("enabled", true));
    }

    private JsonNode call(String method, tools.jackson.databind.node.ObjectNode parameters) {
        return tools.call(session, method, parameters);
    }

    private void heard(JsonNode event) {
        if (!event.path("sessionId").asString("").equals(session)) {
            return;
        }
        var told = event.path("params");
        switch (event.path("method").asString("")) {
            case "Runtime.exceptionThrown" ->
                    problems.add("exception: " + told.path("exceptionDetails"));
            case "Runtime.consoleAPICalled" -> problems.add("console: " + told);
            case "Log.entryAdded" -> {
                // That a request was refused is the page's business, and tested by what it shows.
                var entry = told.path("entry");
                if (!entry.path("source").asString("").equals("network")
                        && !entry.path("level").asString("").equals("verbose")) {
                    problems.add("log: " + entry);
                }
            }
            default -> {}
        }
    }

    /** What the browser complained of: exceptions, console output, violations of the policy. */
    List<String> problems() {
        return List.copyOf(problems);
    }

    void open(String url) {
        call("Page.navigate", DevTools.parameters().put("url", url));
        await("document.readyState === 'complete' && location.href.startsWith('http')");
    }

    /** Has every page from now on run a script before its own. */
    void first(String script) {
        call("Page.addScriptToEvaluateOnNewDocument", DevTools.parameters().put("source", script));
    }

    /** The value of an expression in the page. */
    JsonNode eval(String expression) {
        var result =
                call(
                        "Runtime.evaluate",
                        DevTools.parameters()
                                .put("expression", expression)
                                .put("returnByValue", true)
                                .put("awaitPromise", true));
        if (result.has("exceptionDetails")) {
            throw new AssertionError(expression + ": " + result.get("exceptionDetails"));
        }
        return result.path("result").path("value");
    }

    String text(String selector) {
        return eval("document.querySelector('%s')?.innerText ?? ''".formatted(selector)).asString();
    }

    /** How many elements of this selector can be seen. */
    int count(String selector) {
        return eval("[...document.querySelectorAll('%s')].filter(it => it.checkVisibility()).length"
                        .formatted(selector))
                .asInt();
    }

    /** Waits until an expression is true. */
    void await(String expression) {
        Awaitility.await(expression + "; the page shows: " + shown())
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(50))
                .ignoreExceptions()
                .until(() -> eval(expression).asBoolean());
    }

    /** Waits until what an element shows contains a text. */
    void awaitText(String selector, String text) {
        await(
                "document.querySelector('%s')?.innerText.includes('%s')"
                        .formatted(selector, text.replace("\\", "\\\\").replace("'", "\\'")));
    }

    private String shown() {
        try {
            var text = eval("document.body?.innerText ?? ''").asString("");
            return text.substring(0, Math.min(600, text.length()));
        } catch (AssertionError e) {
            return "no page: it is just going elsewhere";
        }
    }

    /** Presses a key: a character, or one of those with a name. */
    void press(String name) {
        var key = NAMED.get(name);
        var parameters = DevTools.parameters().put("key", name);
        if (key == null) {
            parameters
                    .put("text", name)
                    .put("windowsVirtualKeyCode", Character.toUpperCase(name.charAt(0)));
        } else {
            parameters.put("code", key.code()).put("windowsVirtualKeyCode", key.virtual());
            if (!key.text().isEmpty()) {
                parameters.put("text", key.text());
            }
        }
        call("Input.dispatchKeyEvent", parameters.deepCopy().put("type", "keyDown"));
        call("Input.dispatchKeyEvent", parameters.put("type", "keyUp"));
    }

    /** Types into what has the focus. */
    void type(String text) {
        call("Input.insertText", DevTools.parameters().put("text", text));
    }

    void click(String selector) {
        eval("document.querySelector('%s').click()".formatted(selector));
    }

    void size(int width, int height) {
        call(
                "Emulation.setDeviceMetricsOverride",
                DevTools.parameters()
                        .put("width", width)
                        .put("height", height)
                        .put("deviceScaleFactor", 1)
                        .put("mobile", false));
    }

    void scheme(String lightOrDark) {
        var parameters = DevTools.parameters();
        parameters
                .putArray("features")
                .addObject()
                .put("name", "prefers-color-scheme")
                .put("value", lightOrDark);
        call("Emulation.setEmulatedMedia", parameters);
    }

    /** Writes what can be seen to a file of target/console. */
    void screenshot(String name) throws IOException {
        var data = call("Page.captureScreenshot", DevTools.parameters()).get("data").asString();
        var file = Path.of("target", "console", name + ".png");
        Files.createDirectories(Objects.requireNonNull(file.getParent()));
        Files.write(file, Base64.getDecoder().decode(data));
    }
}
