package dev.holdfast.engine.lvm.internal;

import dev.holdfast.certificates.files.TlsDirectory;
import dev.holdfast.engine.lvm.blobs.links.PoolAddress;
import dev.holdfast.engine.lvm.internal.links.TlsTunnels;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.rpc.PeerNodes;
import dev.holdfast.rpc.runtime.PeerChannels;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;

/**
 * Runs inside a virtual machine: tunnels of a node until its input ends. Arguments: address, node,
 * folder of the node's certificate. A line of the input has node, host and port of an export; the
 * program then prints the socket of the tunnel.
 */
final class TunnelsInGuest {
  private TunnelsInGuest() {}

  /** The tunnels get their addresses from the caller. */
  private record NoPeers(String self) implements PeerNodes {
    @Override
    public InetSocketAddress address(String node, String service) throws StorageException {
      throw new StorageException(ErrorCode.UNREACHABLE, node);
    }
  }

  public static void main(String[] arguments) throws Exception {
    PeerChannels channels =
        new PeerChannels(
            new NoPeers(arguments[1]),
            TlsDirectory.prepare(
                Path.of(arguments[2]), arguments[1], List.of(arguments[0]), Clock.systemUTC()));
    try (TlsTunnels tunnels = new TlsTunnels(channels::sslContext, Path.of("/run/links"))) {
      BufferedReader input =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      for (String line = input.readLine(); line != null; line = input.readLine()) {
        String[] words = line.split(" ", -1);
        PoolAddress address = new PoolAddress(words[0], words[1], Integer.parseInt(words[2]), 1);
        System.out.println(tunnels.open(address).host());
      }
    }
    System.exit(0);
  }
}
