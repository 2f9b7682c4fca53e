package dev.holdfast.itests;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** A service that listens on a port of its own, which no table of listeners has. */
public final class PlantedListener implements Runnable {
  private final ServerSocket socket;

  /** Listens. */
  public PlantedListener() {
    try {
      socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void run() {
    // It only has to listen.
  }

  /** Called when its bundle stops. */
  void deactivate() throws IOException {
    socket.close();
  }
}
