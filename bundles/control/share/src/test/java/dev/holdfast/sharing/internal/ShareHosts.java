package dev.holdfast.sharing.internal;

import dev.holdfast.share.ServerProcess;
import dev.holdfast.share.ShareRequest;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.DoubleSupplier;

/**
 * The hosts of a simulated cluster and the engine's fence: the device of the latest attachment of a
 * volume works, and all earlier devices fail.
 */
final class ShareHosts {
  private static final double FAILURE = 0.1;

  private final DoubleSupplier chance;
  private final Map<String, FakeShareServer> servers = new TreeMap<>();
  private final Map<String, String> devices = new TreeMap<>();
  private final Map<String, String> holders = new TreeMap<>();
  private final Set<String> exports = new HashSet<>();
  private final List<String> violations = new ArrayList<>();
  private boolean calm;
  private int served;

  ShareHosts(DoubleSupplier chance) {
    this.chance = chance;
  }

  FakeShareServer server(String node) {
    return servers.computeIfAbsent(node, name -> new FakeShareServer(name, this));
  }

  Map<String, FakeShareServer> servers() {
    return servers;
  }

  void calm() {
    calm = true;
    servers
        .values()
        .forEach(
            server ->
                server
                    .made()
                    .values()
                    .forEach(
                        made -> {
                          made.hung = false;
                          made.broken = false;
                        }));
  }

  boolean fails() {
    return !calm && chance.getAsDouble() < FAILURE;
  }

  /** Returns the epochs that two nodes have served, which is forbidden. */
  List<String> violations() {
    return violations;
  }

  /** Returns the number of started exports. */
  int served() {
    return served;
  }

  /** Makes the device of this attachment the working one. */
  void attached(String volume, String endpoint) {
    devices.put(volume, endpoint);
  }

  void detached(String volume) {
    devices.remove(volume);
  }

  boolean isAlive(String node, String volume, URI device) {
    return device.toString().equals(devices.get(volume)) && device.getHost().equals(node);
  }

  boolean serves(String node, String volume, FakeShareServer.Made made) {
    return made.process == ServerProcess.RUNNING && isAlive(node, volume, made.device);
  }

  /** Records that a node begins to serve an epoch, and checks that no other node has served it. */
  void begins(String node, ShareRequest request) {
    String epoch = request.volumeUid() + "#" + request.epoch();
    String holder = holders.computeIfAbsent(epoch, key -> node);
    if (!holder.equals(node)) {
      violations.add("epoch " + request.epoch() + " on " + holder + " and " + node);
    }
  }

  void exported(String node, ShareRequest request) {
    served++;
    exports.add(request.volume() + "#" + request.epoch() + "@" + node);
  }

  boolean wasExported(String volume, long epoch, String node) {
    return exports.contains(volume + "#" + epoch + "@" + node);
  }

  static String endpoint(String node, ShareRequest request) {
    return "nfs://" + node + ":" + request.port() + "/" + request.volume();
  }
}
