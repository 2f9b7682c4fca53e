package dev.holdfast.initiator.kernel.internal;

import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.HostState;
import java.nio.file.Path;
import java.util.Optional;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes incomplete connections of a crash at the start of a node. Uses its own thread, because
 * the kernel may wait for an unreachable target.
 */
@Component(service = StartSweep.class, immediate = true)
public final class StartSweep {
  private static final Logger LOG = LoggerFactory.getLogger(StartSweep.class);

  private final Optional<Thread> thread;

  /**
   * Starts the sweep, if there is a data directory.
   *
   * @param context has {@code holdfast.data}, not null
   */
  @Activate
  public StartSweep(BundleContext context) {
    this.thread =
        Optional.ofNullable(context.getProperty("holdfast.data"))
            .map(data -> new HostState(Path.of(data, "initiators")))
            .map(state -> new Thread(() -> sweep(state), "initiator-sweep"));
    thread.ifPresent(
        sweeper -> {
          sweeper.setDaemon(true);
          sweeper.start();
        });
  }

  private static void sweep(HostState state) {
    for (KernelInitiator initiator : KernelInitiators.all(state)) {
      try {
        initiator
            .sweep()
            .forEach(
                (volume, why) ->
                    LOG.warn(
                        "volume {}: could not remove its connection by {} after a crash: {}",
                        volume,
                        initiator.name(),
                        why));
      } catch (StorageException e) {
        LOG.warn("{}: could not search for connections left by crashes", initiator.name(), e);
      }
    }
  }

  /** Stops the sweep; the next start continues it. */
  @Deactivate
  public void stop() {
    thread.ifPresent(Thread::interrupt);
  }
}
