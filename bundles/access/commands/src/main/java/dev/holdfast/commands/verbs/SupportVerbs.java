package dev.holdfast.commands.verbs;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.holdfast.client.SupportPaths;
import dev.holdfast.commands.Output;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The verb {@code support-bundle}. */
final class SupportVerbs {
  private static final DateTimeFormatter NAME =
      DateTimeFormatter.ofPattern("'holdfast-support-'uuuuMMdd-HHmmss'.tar.zst'")
          .withZone(ZoneOffset.UTC);

  private static final VerbArgument<Path> FILE =
      VerbArgument.of(
              "FILE",
              Path.class,
              Candidates.FILES,
              "File to create. Default: holdfast-support-TIME.tar.zst in this directory.")
          .times(0, 1);
  private static final VerbOption<String> SINCE =
      VerbOption.of("--since", "PERIOD", String.class, "Period of the logs. Default: 24h.")
          .or("24h");
  private static final VerbOption<String> NODE =
      VerbOption.of(
              "--node",
              "NODE",
              String.class,
              Candidates.NODES,
              "Only this node; may be repeated. Default: all nodes.")
          .times(VerbOption.Repetition.REPEATED);
  private static final VerbOption<String> VOLUME =
      VerbOption.of(
          "--volume",
          "VOLUME",
          String.class,
          Candidates.VOLUMES,
          "Only lines of logs that name this volume.");

  static final Verb BUNDLE =
      new Verb(
          "support-bundle",
          List.of(FILE),
          List.of(SINCE, NODE, VOLUME),
          """
          Collect resources, logs, audit, metrics and thread dumps of all nodes in one file.
          Secrets are removed, and it has no content of volumes. A node that is down is named in it.""",
          SupportVerbs::bundle);

  private SupportVerbs() {}

  private static Output bundle(VerbCall call) throws StorageException {
    Instant now = call.context().clock().instant();
    Map<String, Optional<String>> parameters = new TreeMap<>();
    parameters.put("since", Optional.of(now.minus(Period.of(SINCE, call.get(SINCE))).toString()));
    parameters.put("volume", call.value(VOLUME));
    parameters.put(
        "nodes", Optional.of(String.join(",", call.all(NODE))).filter(names -> !names.isEmpty()));
    Path file = call.value(FILE).orElse(Path.of(NAME.format(now))).toAbsolutePath();
    call.context().progress("collecting from the nodes, at most 2 minutes ...");
    call.context().receiveDocument(file, SupportPaths.query(SupportPaths.BUNDLE, parameters));
    return new Output(
        () -> file + ": made; manifest.json in it names the nodes that could not be reached",
        () -> JsonNodeFactory.instance.objectNode().put("file", file.toString()));
  }
}
