package dev.holdfast.shell.internal;

import dev.holdfast.client.NodeUpgrade;
import dev.holdfast.client.UpgradeOrder;
import dev.holdfast.client.Upgrades;
import dev.holdfast.client.Waiting;
import dev.holdfast.commands.Output;
import dev.holdfast.commands.UpgradeViews;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.completers.FileCompleter;

/** {@code holdfast:upgrade}. */
@Service
@Command(
    scope = "holdfast",
    name = "upgrade",
    description = "Replace a bundle, a feature or a release while volumes are in use.")
public final class Upgrade extends StoreCommand {
  @Argument(name = "source", description = "A .jar, .kar, .xml or .tar.gz, or Maven coordinates.")
  @Completion(FileCompleter.class)
  private String source;

  @Option(name = "--plan", description = "Show what would be replaced, how, with which pause.")
  private boolean plan;

  @Option(name = "--status", description = "Show the last upgrades.")
  private boolean status;

  @Option(name = "--rollback", description = "Take the last upgrade back.")
  private boolean rollback;

  @Option(name = "--restart", description = "Let the container restart where it must.")
  private boolean restart;

  @Option(name = "--node", description = "Only there. Default: all, one after the other.")
  @Completion(NodeNames.class)
  private String node;

  @Option(name = "--timeout", description = "How many seconds to wait at most for each node.")
  private int timeoutSeconds = 600;

  @Override
  Output run(ResourceStore resources) throws StorageException {
    Upgrades upgrades = new Upgrades(resources);
    if (status) {
      return new UpgradeViews().upgrades(upgrades.last());
    }
    if (rollback == given(source).isPresent()) {
      throw new StorageException(ErrorCode.INVALID, "name what to upgrade to, or say --rollback");
    }
    UpgradeOrder.Action action = plan ? UpgradeOrder.Action.PLAN : UpgradeOrder.Action.APPLY;
    UpgradeOrder order =
        new UpgradeOrder(
            rollback ? UpgradeOrder.Action.ROLLBACK : action,
            given(source).map(Upgrade::absolute).orElse(""),
            restart,
            given(node).map(List::of).orElse(List.of()));
    List<NodeUpgrade> results =
        upgrades.run(order, new Waiting(Duration.ofSeconds(timeoutSeconds), this::print));
    return new UpgradeViews().upgrades(results);
  }

  private static String absolute(String given) {
    Path file = Path.of(given.replaceFirst("^file:", ""));
    return Files.exists(file) ? file.toAbsolutePath().normalize().toString() : given;
  }
}
