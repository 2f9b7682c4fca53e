package dev.holdfast.itests;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A network of its own for each node: a namespace with one interface, on a bridge that this process
 * reaches too. The network can disconnect one node from all others, or two nodes from each other.
 * It drops packets without an error. Needs root.
 */
final class Network implements AutoCloseable {
  private final String id;
  private final String prefix;
  private final int size;

  private Network(String id, String prefix, int size) {
    this.id = id;
    this.prefix = prefix;
    this.size = size;
  }

  /** Skips the test, with the reason, where there can be no such network. */
  static void assumePossible() {
    assumeTrue(
        Command.exists(Path.of("/usr/sbin/ip")) || Command.exists(Path.of("/usr/bin/ip")),
        "the program ip is not installed");
    assumeTrue(
        Command.of("id", "-u").run().out().equals("0"), "only root can make network namespaces");
    String probe = "hfprobe" + ThreadLocalRandom.current().nextInt(100_000);
    boolean possible = Command.of("ip", "netns", "add", probe).run().exitCode() == 0;
    Command.of("ip", "netns", "delete", probe).run();
    assumeTrue(possible, "this machine does not permit network namespaces");
  }

  /** Makes it, with addresses drawn at random. */
  static Network of(int size) {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    String id = "hf" + random.nextInt(10_000, 100_000);
    String prefix = "10." + random.nextInt(64, 255) + "." + random.nextInt(1, 255) + ".";
    Network network = new Network(id, prefix, size);
    try {
      network.make();
    } catch (AssertionError e) {
      network.close();
      throw e;
    }
    return network;
  }

  private void make() {
    ip("link", "add", id, "type", "bridge");
    ip("address", "add", prefix + "254/24", "dev", id);
    ip("link", "set", id, "up");
    for (int node = 1; node <= size; node++) {
      ip("netns", "add", namespace(node));
      ip("link", "add", port(node), "type", "veth", "peer", "eth0", "netns", namespace(node));
      ip("link", "set", port(node), "master", id, "up");
      ip("-n", namespace(node), "link", "set", "lo", "up");
      ip("-n", namespace(node), "address", "add", address(node) + "/24", "dev", "eth0");
      ip("-n", namespace(node), "link", "set", "eth0", "up");
    }
  }

  private static void ip(String... words) {
    List<String> all = new ArrayList<>(List.of("ip"));
    all.addAll(List.of(words));
    Command.of(all).run().succeeded();
  }

  /** Returns the name of a node's namespace, as ip(8) takes it. */
  String namespace(int node) {
    return id + "-" + node;
  }

  private String port(int node) {
    return id + "p" + node;
  }

  String address(int node) {
    return prefix + node;
  }

  /**
   * Returns how a command is run where a node is. {@code ip netns exec} would also give the command
   * a mount namespace, whose copies of mounts keep devices of other tests in use.
   */
  List<String> at(int node) {
    return List.of("nsenter", "--net=/run/netns/" + namespace(node), "--");
  }

  /** Isolates a node: it neither receives nor sends. */
  void cutOff(int node) {
    ip("link", "set", port(node), "down");
  }

  void reconnect(int node) {
    ip("link", "set", port(node), "up");
  }

  /** Separates two nodes from each other; both reach all others. */
  void separate(int one, int other) {
    ip("-n", namespace(one), "route", "add", "blackhole", address(other));
    ip("-n", namespace(other), "route", "add", "blackhole", address(one));
  }

  void rejoin(int one, int other) {
    ip("-n", namespace(one), "route", "delete", "blackhole", address(other));
    ip("-n", namespace(other), "route", "delete", "blackhole", address(one));
  }

  /** Takes away what there is of it. The nodes have ended. */
  @Override
  public void close() {
    for (int node = 1; node <= size; node++) {
      Command.of("ip", "link", "delete", port(node)).run();
      Command.of("ip", "netns", "delete", namespace(node)).run();
    }
    Command.of("ip", "link", "delete", id).run();
  }
}
