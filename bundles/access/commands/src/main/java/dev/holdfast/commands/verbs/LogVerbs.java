package dev.holdfast.commands.verbs;

import dev.holdfast.client.LogLevels;
import dev.holdfast.commands.LogViews;
import dev.holdfast.commands.Output;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.cluster.LogLevelRule;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The verb {@code log-level}. */
final class LogVerbs {
  private static final String DEFAULT = "DEFAULT";

  private static final VerbArgument<String> LEVEL =
      VerbArgument.of(
              "LOGGER=LEVEL",
              String.class,
              Candidates.NONE,
              "A logger such as dev.holdfast.portal, or ROOT for all, and its level: off, error,"
                  + " warn, info, debug, trace, or default to end it.")
          .times(0, 1);
  private static final VerbOption<String> NODE =
      VerbOption.of(
          "--node", "NODE", String.class, Candidates.NODES, "Only this node. Default: all nodes.");
  private static final VerbOption<String> PERIOD =
      VerbOption.of("--for", "PERIOD", String.class, "End after a period such as 30m or 12h.");

  static final Verb LOG_LEVEL =
      new Verb(
          "log-level",
          List.of(LEVEL),
          List.of(NODE, PERIOD),
          """
          Show or change how much nodes write to their logs, while they run.
          Without an argument, show the levels that differ from the nodes' configuration.""",
          LogVerbs::run);

  private LogVerbs() {}

  private static Output run(VerbCall call) throws StorageException {
    LogLevels levels = new LogLevels(call.context().store(), call.context().clock());
    Optional<String> text = call.value(LEVEL);
    String node = call.value(NODE).orElse("");
    if (text.isEmpty()) {
      if (call.value(NODE).isPresent() || call.value(PERIOD).isPresent()) {
        throw new WrongUse("--node and --for need LOGGER=LEVEL");
      }
      return new LogViews().levels(levels.list());
    }
    String[] parts = text.get().split("=", 2);
    String level = parts.length < 2 ? "" : parts[1].toUpperCase(Locale.ROOT);
    if (level.equals(DEFAULT) && !parts[0].isBlank()) {
      return new LogViews().levels(levels.remove(node, parts[0]));
    }
    if (parts[0].isBlank() || !LogLevelRule.LEVELS.contains(level)) {
      throw new WrongUse(
          text.get()
              + ": expected LOGGER=LEVEL with one of the levels "
              + String.join(", ", LogLevelRule.LEVELS).toLowerCase(Locale.ROOT)
              + ", default");
    }
    return new LogViews().levels(levels.set(new LogLevelRule(node, parts[0], level, end(call))));
  }

  private static Optional<Instant> end(VerbCall call) throws WrongUse {
    Optional<String> period = call.value(PERIOD);
    return period.isEmpty()
        ? Optional.empty()
        : Optional.of(
            call.context()
                .clock()
                .instant()
                .plus(Period.of(PERIOD, period.get()))
                .truncatedTo(ChronoUnit.SECONDS));
  }
}
