package dev.perigee.local.cli;

import dev.perigee.client.CommandRun.Addressed;
import dev.perigee.part.CliException;
import dev.perigee.protocol.command.Command;
import dev.perigee.protocol.command.CommandAction;
import dev.perigee.protocol.command.CommandPayload;
import dev.perigee.protocol.command.CommandType;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads the commands of a file: a server configuration, which means installing it, or a whole
 * command record; one, several in an array, or one after the other.
 */
final class CommandFile {
    private static final JsonMapper MAPPER = JsonMapper.shared();

    private final String name;
    private final Commands commands;

    /**
     * A file.
     *
     * @param commands makes ids and expiry of commands that do not bring their own
     */
    CommandFile(String name, Commands commands) {
        this.name = name;
        this.commands = commands;
    }

    /** Reads a file, or standard input when it is called {@code -}. */
    static List<Addressed> read(String name, Commands commands) {
        try {
            var bytes =
                    name.equals("-") ? System.in.readAllBytes() : Files.readAllBytes(Path.of(name));
            return new CommandFile(name, commands).parse(new String(bytes, StandardCharsets.UTF_8));
        } catch (IOException | InvalidPathException e) {
            throw CliException.usage("The file " + name + " cannot be read: " + reason(name) + ".");
        }
    }

    private static String reason(String name) {
        var file = new File(name);
        if (!file.exists()) {
            return "it does not exist";
        }
        return file.isDirectory() ? "it is a directory" : "you may not, or it broke off";
    }

    List<Addressed> parse(String text) {
        var addressed = new ArrayList<Addressed>();
        try (var documents = MAPPER.readerFor(JsonNode.class).<JsonNode>readValues(text)) {
            while (documents.hasNext()) {
                var document = documents.next();
                if (document.isArray()) {
                    for (var element : document) {
                        addressed.add(addressed(element));
                    }
                } else {
                    addressed.add(addressed(document));
                }
            }
        } catch (JacksonException e) {
            var location = e.getLocation();
            throw CliException.usage(
                    name
                            + " is not valid JSON"
                            + (location == null
                                    ? "."
                                    : " at line "
                                            + location.getLineNr()
                                            + ", column "
                                            + location.getColumnNr()
                                            + "."));
        } catch (InvalidRecordException e) {
            throw CliException.usage(name + ": " + e.getMessage());
        }
        if (addressed.isEmpty()) {
            throw CliException.usage(name + " holds no command.");
        }
        return addressed;
    }

    private Addressed addressed(JsonNode node) {
        if (!(node instanceof ObjectNode object)) {
            throw CliException.usage(name + " must hold JSON objects.");
        }
        var command = object.has("command_type") ? whole(object) : install(object);
        CommandAction.of(command);
        return new Addressed(command);
    }

    private Command whole(ObjectNode object) {
        return Json.convert(commands.completed(object), Command.class);
    }

    private Command install(ObjectNode object) {
        var node = object.has("config") ? object.get("config") : object;
        var config = Json.convert(node, ServerConfig.class);
        return commands.command(CommandType.CONFIGURE, CommandPayload.install(config));
    }
}
