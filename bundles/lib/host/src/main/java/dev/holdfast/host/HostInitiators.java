package dev.holdfast.host;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.AbortingInitiator;
import dev.holdfast.initiator.Initiator;
import dev.holdfast.initiator.InitiatorConnection;
import dev.holdfast.initiator.PathInitiator;
import dev.holdfast.initiator.ResizableInitiator;
import java.net.URI;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** The initiators of this host, and the choice among them. Thread-safe. */
public final class HostInitiators {
  private final Supplier<List<Initiator>> initiators;

  /** Uses a fixed list of initiators. */
  public HostInitiators(List<Initiator> initiators) {
    List<Initiator> fixed = List.copyOf(initiators);
    this.initiators = () -> fixed;
  }

  /** Uses the initiators that are installed at the time of each call. */
  public HostInitiators(Supplier<List<Initiator>> installed) {
    this.initiators = installed;
  }

  /**
   * Connects a volume by the preferred usable initiator, or by the one that already has it.
   *
   * @throws StorageException UNSUPPORTED with the missing parts of the host; as {@link
   *     Initiator#connect}
   */
  public InitiatorConnection connect(String volume, URI endpoint) throws StorageException {
    return initiatorFor(volume, endpoint).connect(volume, endpoint);
  }

  /**
   * Connects a volume so that its device can grow while it is used, if the initiator can do that.
   *
   * @param bytes present size of the volume in bytes
   * @throws StorageException as {@link #connect(String, URI)}
   */
  public InitiatorConnection connectGrowable(String volume, URI endpoint, long bytes)
      throws StorageException {
    Initiator initiator = initiatorFor(volume, endpoint);
    if (initiator instanceof PathInitiator paths) {
      return paths.connect(volume, List.of(endpoint));
    }
    return initiator instanceof ResizableInitiator resizable
        ? resizable.connect(volume, resizable.growable(endpoint, bytes))
        : initiator.connect(volume, endpoint);
  }

  /**
   * Returns whether a connected volume keeps its device when it is connected to another endpoint:
   * its initiator adds the new path and removes the old one.
   *
   * @throws StorageException IO
   */
  public boolean keepsDevice(String volume, URI endpoint) throws StorageException {
    for (Initiator initiator : initiators.get()) {
      if (initiator instanceof PathInitiator && initiator.understands(endpoint)) {
        return initiator.find(volume).filter(InitiatorConnection::alive).isPresent();
      }
    }
    return false;
  }

  /**
   * Connects a volume that is already connected by exactly these paths; its device stays in use.
   *
   * @param endpoints of one identity, at least one
   * @throws StorageException UNSUPPORTED when no initiator has the volume with several paths;
   *     UNREACHABLE when one of the paths does not work afterwards; as {@link
   *     PathInitiator#connect(String, List)}
   */
  public void connectPaths(String volume, List<URI> endpoints) throws StorageException {
    for (Initiator initiator : initiators.get()) {
      if (initiator instanceof PathInitiator paths && initiator.find(volume).isPresent()) {
        paths.connect(volume, endpoints);
        long live =
            paths.paths(volume).stream().filter(path -> path.state().equals("live")).count();
        if (live < endpoints.size()) {
          throw new StorageException(
              ErrorCode.UNREACHABLE,
              "volume %s: %d of its %d paths are live".formatted(volume, live, endpoints.size()));
        }
        return;
      }
    }
    throw new StorageException(
        ErrorCode.UNSUPPORTED, "volume " + volume + ": no initiator has it with several paths");
  }

  /**
   * Extends the device of a volume to the volume's new size.
   *
   * @throws StorageException UNSUPPORTED when it cannot grow while it is connected; IO
   */
  public void grow(String volume, long bytes) throws StorageException {
    for (Initiator initiator : initiators.get()) {
      if (initiator.find(volume).isPresent() && initiator instanceof ResizableInitiator resizable) {
        resizable.grow(volume, bytes);
        return;
      }
    }
    throw new StorageException(
        ErrorCode.UNSUPPORTED, "volume " + volume + ": its device does not grow while it is used");
  }

  /** An initiator that has the volume already has priority over all others. */
  private Initiator initiatorFor(String volume, URI endpoint) throws StorageException {
    List<Initiator> speaking =
        initiators.get().stream()
            .filter(initiator -> initiator.understands(endpoint))
            .sorted(Comparator.comparingInt(Initiator::preference).reversed())
            .toList();
    List<String> obstacles = new ArrayList<>();
    for (Initiator initiator : speaking) {
      if (initiator.find(volume).isPresent()) {
        return initiator;
      }
    }
    for (Initiator initiator : speaking) {
      Optional<String> obstacle = initiator.obstacle();
      if (obstacle.isEmpty()) {
        return initiator;
      }
      obstacles.add(initiator.name() + ": " + obstacle.get());
    }
    throw new StorageException(
        ErrorCode.UNSUPPORTED,
        "volume "
            + volume
            + ": this host cannot make a device of "
            + endpoint
            + (obstacles.isEmpty()
                ? ": no initiator understands it"
                : " (" + String.join("; ", obstacles) + ")"));
  }

  /**
   * Disconnects a volume, independent of the program that connected it; as {@link
   * Initiator#disconnect}.
   */
  public void disconnect(String volume) throws StorageException {
    for (Initiator initiator : initiators.get()) {
      initiator.disconnect(volume);
    }
  }

  /**
   * Fails the requests that wait for a volume's device; as {@link AbortingInitiator#abort}. Does
   * nothing when the initiator of the volume cannot do that.
   */
  public void abort(String volume) throws StorageException {
    for (Initiator initiator : initiators.get()) {
      if (initiator instanceof AbortingInitiator aborting) {
        aborting.abort(volume);
      }
    }
  }

  /**
   * Returns the connection of a volume, whether it works or is only a remainder.
   *
   * @throws StorageException IO
   */
  public Optional<InitiatorConnection> find(String volume) throws StorageException {
    for (Initiator initiator : initiators.get()) {
      Optional<InitiatorConnection> found = initiator.find(volume);
      if (found.isPresent()) {
        return found;
      }
    }
    return Optional.empty();
  }
}
