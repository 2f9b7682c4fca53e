package dev.holdfast.csi.internal.server;

import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The socket by which the kubelet finds the driver. After a failed registration the kubelet calls
 * the driver again only if the socket is recreated. This class recreates the socket until the
 * registration succeeds; a separate registrar would exit and be restarted instead. Thread-safe.
 */
public final class RegistrationSocket implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RegistrationSocket.class);
  private static final long LONGEST_PAUSE_MILLIS = 30_000;

  private final Path path;
  private final KubeletRegistration registration;
  private final ScheduledExecutorService timer = new ScheduledThreadPoolExecutor(1, this::thread);
  private final long firstPauseMillis;
  private long pauseMillis;
  private UnixServer server;

  private RegistrationSocket(Path path, String endpoint, long firstPauseMillis) {
    this.path = path;
    this.firstPauseMillis = firstPauseMillis;
    pauseMillis = firstPauseMillis;
    registration = new KubeletRegistration(endpoint, this::answered);
  }

  /**
   * Creates the socket.
   *
   * @param path path in the kubelet's folder
   * @param endpoint path of the driver's socket as the kubelet sees it
   * @param firstPauseMillis wait before the first recreation; later waits are longer
   * @throws StorageException IO when the socket cannot be created
   */
  public static RegistrationSocket open(Path path, String endpoint, long firstPauseMillis)
      throws StorageException {
    RegistrationSocket opened = new RegistrationSocket(path, endpoint, firstPauseMillis);
    try {
      opened.serve();
      return opened;
    } catch (StorageException e) {
      opened.close();
      throw e;
    }
  }

  private Thread thread(Runnable task) {
    Thread thread = new Thread(task, "csi-registration");
    thread.setDaemon(true);
    return thread;
  }

  private synchronized void serve() throws StorageException {
    server = UnixServer.start(path, List.of(registration));
  }

  private synchronized void answered(boolean registered) {
    if (registered) {
      pauseMillis = firstPauseMillis;
    } else {
      again();
    }
  }

  private void again() {
    try {
      var unused = timer.schedule(this::serveAnew, pauseMillis, TimeUnit.MILLISECONDS);
      pauseMillis = Math.min(2 * pauseMillis, LONGEST_PAUSE_MILLIS);
    } catch (RejectedExecutionException e) {
      LOG.debug("the driver stops", e);
    }
  }

  private synchronized void serveAnew() {
    if (timer.isShutdown()) {
      return;
    }
    server.close();
    try {
      serve();
    } catch (StorageException e) {
      LOG.warn("could not offer the driver to the kubelet: {}", e.getMessage());
      again();
    }
  }

  @Override
  public void close() {
    timer.shutdownNow();
    synchronized (this) {
      if (server != null) {
        server.close();
      }
    }
  }
}
