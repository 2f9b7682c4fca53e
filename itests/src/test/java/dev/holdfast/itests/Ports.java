package dev.holdfast.itests;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;

/**
 * The ports of one node, free a moment ago. They lie below those that the kernel gives to clients,
 * so that no connection of another test takes one in between.
 *
 * @param api of the API server
 * @param nbd of the NBD frontend
 * @param ssh of the Karaf shell
 * @param rpc of the calls between nodes
 * @param replica of the bytes between nodes
 * @param iscsi of the iSCSI frontend
 * @param nvmeof of the NVMe/TCP frontend
 */
record Ports(int api, int nbd, int ssh, int rpc, int replica, int iscsi, int nvmeof) {
  private static final int LOWEST = 11_000;
  private static final int HIGHEST = 32_000;

  static Ports free() {
    int[] ports =
        IntStream.generate(() -> ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST))
            .filter(Ports::isFree)
            .distinct()
            .limit(7)
            .toArray();
    return new Ports(ports[0], ports[1], ports[2], ports[3], ports[4], ports[5], ports[6]);
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.isBound();
    } catch (IOException e) {
      return false;
    }
  }
}
