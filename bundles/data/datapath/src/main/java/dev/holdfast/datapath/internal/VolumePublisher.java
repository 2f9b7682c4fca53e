package dev.holdfast.datapath.internal;

import dev.holdfast.datapath.ServingState;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes and withdraws one open volume, and updates its status. Used by the steps of the volume.
 */
final class VolumePublisher implements WayChanger.Uses {
  private static final Logger LOG = LoggerFactory.getLogger(VolumePublisher.class);

  private final String volume;
  private final String engine;
  private final LocalAttachedVolumes node;
  private final VolumeStack stack;
  private final VolumeLifecycle lifecycle;
  private final Consumer<StorageException> breakDown;
  private final WayChanger changer;

  /**
   * Creates a publisher.
   *
   * @param breakDown closes the volume, which is opened again later
   * @param steps runs the steps of the volume
   */
  VolumePublisher(
      String volume,
      String engine,
      LocalAttachedVolumes node,
      VolumeStack stack,
      VolumeLifecycle lifecycle,
      Consumer<StorageException> breakDown,
      Executor steps) {
    this.volume = volume;
    this.engine = engine;
    this.node = node;
    this.stack = stack;
    this.lifecycle = lifecycle;
    this.breakDown = breakDown;
    this.changer = new WayChanger(volume, node, stack, lifecycle, steps);
  }

  /** Publishes the volume by a protocol, if it is not published by it. */
  void publish(String frontend) {
    // The step may have been scheduled again before its first run.
    boolean shown =
        stack.serving().serves(frontend, node.portal())
            && lifecycle.status().frontend().equals(frontend);
    if (shown || !stack.isOpen() || !lifecycle.serves()) {
      return;
    }
    try {
      ServingState state = stack.publish(publication(frontend));
      lifecycle.published(frontend, stack.serving().present().orElseThrow().endpoint());
      lifecycle.serving(Optional.of(state));
    } catch (VolumeServing.LostExport e) {
      LOG.warn("{}", e.getMessage());
      breakDown.accept(e);
    } catch (StorageException e) {
      lifecycle.publishFailed(e);
    } catch (RuntimeException | Error e) {
      LOG.error("volume {}: could not publish it through {}", volume, frontend, e);
      lifecycle.publishFailed(internal(volume, e));
    }
  }

  static StorageException internal(String volume, Throwable cause) {
    return new StorageException(ErrorCode.INTERNAL, "volume " + volume + ": " + cause, cause);
  }

  @Override
  public void breakDown(StorageException why) {
    breakDown.accept(why);
  }

  @Override
  public VolumeServing.Publication publication(String frontend) {
    return new VolumeServing.Publication(
        frontend,
        node.portal(),
        new StoreExportState(
            node::store, engine, node.name(), () -> !lifecycle.status().admits().isEmpty()),
        new StoreExportClaim(node::store, engine, node.clock()));
  }

  /** Finds the engine's export again by which hosts use the volume, if they use one. */
  void findExport() {
    Optional<Serving> exported =
        stack.serving().present().filter(way -> way.way() == ServingState.Way.NATIVE);
    exported.ifPresent(way -> publish(way.protocol()));
  }

  /** Withdraws the volume from hosts. */
  void withdraw() {
    try {
      stack.serving().withdraw();
      lifecycle.withdrawn();
      lifecycle.serving(Optional.of(ServingState.PLAIN));
    } catch (VolumeServing.LostExport e) {
      LOG.warn("{}", e.getMessage());
      breakDown.accept(e);
    } catch (StorageException e) {
      lifecycle.withdrawFailed(e);
    }
  }

  /** Checks whether the way in use is still the one to choose. */
  void review() {
    if (stack.isOpen() && lifecycle.serves()) {
      Optional<ServingState> state = stack.review();
      if (state.isPresent()) {
        lifecycle.serving(state);
        changer.review(this);
      }
    }
  }
}
