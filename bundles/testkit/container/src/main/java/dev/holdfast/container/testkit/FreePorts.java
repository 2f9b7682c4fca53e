package dev.holdfast.container.testkit;

import static org.ops4j.pax.exam.CoreOptions.systemProperty;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import org.ops4j.pax.exam.Option;

/** Free ports of this machine for the services of a node. */
final class FreePorts {
  private static final List<String> SERVICES =
      List.of("api", "rpc", "nbd", "iscsi", "nvmeof", "replica", "ssh");

  private FreePorts() {}

  static Option[] settings() {
    List<ServerSocket> taken = new ArrayList<>();
    try {
      List<Option> settings = new ArrayList<>();
      for (String service : SERVICES) {
        ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        taken.add(socket);
        settings.add(
            systemProperty("holdfast." + service + ".port")
                .value(String.valueOf(socket.getLocalPort())));
      }
      for (ServerSocket socket : taken) {
        socket.close();
      }
      return settings.toArray(Option[]::new);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
