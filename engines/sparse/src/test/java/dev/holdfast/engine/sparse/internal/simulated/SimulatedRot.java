package dev.holdfast.engine.sparse.internal.simulated;

import dev.holdfast.engine.DamagedRange;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.Scrub;
import dev.holdfast.engine.ScrubOptions;
import dev.holdfast.engine.ScrubResult;
import dev.holdfast.engine.ScrubbableVolume;
import dev.holdfast.engine.sparse.internal.disk.StateFiles;
import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import dev.holdfast.engine.sparse.simulation.Scheduler;
import dev.holdfast.engine.sparse.simulation.Violation;
import dev.holdfast.error.StorageException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * A bit of a snapshot that flips on one disk, and the scrubbing that must find it. If the snapshot
 * has checksums, or most replicas hold it as it was, a scrub repairs the bit. Else it reports the
 * damage and its place. It never changes a correct replica. Until then a read may find the damaged
 * block, because reads do not verify checksums.
 *
 * <p>Content that an opening, a rebuild or a failed request copied from the damaged replica before
 * is indistinguishable from other content. That block is not checked afterwards.
 */
final class SimulatedRot {
  private static final int BITS = 8;

  /** Place of the bit, and its former value. */
  private static final class Spot {
    private final String snapshot;
    private final int block;
    private final SimulatedNode node;
    private final byte[] right;
    private final boolean kept;
    private boolean spread;

    Spot(String snapshot, int block, SimulatedNode node, byte[] right, boolean kept) {
      this.snapshot = snapshot;
      this.block = block;
      this.node = node;
      this.right = right;
      this.kept = kept;
    }

    boolean within(DamagedRange range) {
      long position = SimulatedClients.position(block);
      return range.offset() < position + SimulatedClients.BLOCK
          && range.offset() + range.length() > position;
    }
  }

  private final SimulatedCluster cluster;
  private final SimulatedClients clients;
  private final SimulatedStructure structure;
  private final Random random;
  private Spot spot;
  private SimulatedClients.Served scrubbing;
  private int ended;

  SimulatedRot(SimulatedCluster cluster, SimulatedClients clients, SimulatedStructure structure) {
    this.cluster = cluster;
    this.clients = clients;
    this.structure = structure;
    this.random = cluster.random();
  }

  /** Possibly flips a bit, and scrubs a snapshot, possibly the damaged one. */
  void step() {
    if (random.nextBoolean()) {
      strike();
    }
    scrub();
  }

  /** Returns the number of completed scrubs. */
  int ended() {
    return ended;
  }

  /** Returns whether damage exists that scrubbing must find. */
  boolean outstanding() {
    return spot != null && !spot.spread;
  }

  /** Returns whether a block is excluded from checks. */
  boolean spoilt(int block) {
    return spot != null && spot.block == block;
  }

  /** Called before replicas are made equal to others. */
  void spreads() {
    if (spot != null) {
      spot.spread = true;
    }
  }

  private static boolean allCurrent(SimulatedClients.Served served) {
    return served != null
        && served.alive()
        && served.volume().replicas().values().stream().allMatch(MemberMode.RW::equals);
  }

  private boolean inOrder() {
    return allCurrent(clients.latest())
        && clients.latest().volume().replicas().size() == cluster.nodes().size()
        && cluster.nodes().stream().noneMatch(node -> node.disk().full() || node.disk().broken());
  }

  /** Flips a bit, if no fault is active and no scrub runs that may already have passed it. */
  void strike() {
    boolean free = scrubbing == null || !scrubbing.alive();
    List<SimulatedNode> holders = cluster.holders();
    String snapshot = structure.any();
    if (spot != null || !free || holders.size() < 2 || snapshot.isEmpty() || !inOrder()) {
      return;
    }
    int block = random.nextInt(SimulatedClients.BLOCKS);
    SimulatedNode node = holders.get(random.nextInt(holders.size()));
    String image = LonghornLayout.imageOf(snapshot);
    if (!holders.stream().allMatch(holder -> holder.disk().holds(image))) {
      return;
    }
    byte[] right = content(node, snapshot, block);
    if (!holders.stream()
        .allMatch(holder -> Arrays.equals(content(holder, snapshot, block), right))) {
      return;
    }
    long at = SimulatedClients.position(block) + random.nextInt(SimulatedClients.BLOCK);
    if (node.disk().rot(image, at, random.nextInt(BITS))) {
      clients.blocks().get(block).rots();
      structure.keep(snapshot);
      spot = new Spot(snapshot, block, node, right, kept(snapshot));
    }
  }

  private static byte[] content(SimulatedNode node, String snapshot, int block) {
    String image = LonghornLayout.imageOf(snapshot);
    return node.disk().content(image, SimulatedClients.position(block), SimulatedClients.BLOCK);
  }

  private boolean kept(String snapshot) {
    return cluster.holders().stream()
        .anyMatch(holder -> holder.disk().holds(StateFiles.SUMS_PREFIX + snapshot));
  }

  /** Scrubs the damaged snapshot, or any, on a thread of the engine's process. */
  void scrub() {
    SimulatedClients.Served served = clients.latest();
    Spot asked = spot;
    String snapshot = asked == null ? structure.any() : asked.snapshot;
    if (served == null || !served.alive() || snapshot.isEmpty()) {
      return;
    }
    cluster.scheduler().start(served.process(), () -> scrub(served, snapshot, asked));
  }

  private void scrub(SimulatedClients.Served served, String snapshot, Spot asked) {
    Scheduler scheduler = cluster.scheduler();
    try {
      scrubbing = served;
      Scrub scrub = ((ScrubbableVolume) served.volume()).scrub(snapshot, ScrubOptions.UNLIMITED);
      var unused =
          scrub
              .done()
              .whenComplete(
                  (result, failure) ->
                      scheduler.start(Scheduler.WORLD, () -> scrubbed(served, asked, result)));
    } catch (StorageException e) {
      scheduler.note(e.code().name().hashCode());
    }
  }

  // The result is null for an incomplete scrub.
  private void scrubbed(SimulatedClients.Served served, Spot asked, ScrubResult result) {
    scrubbing = null;
    ended += result == null ? 0 : 1;
    boolean judged = asked != null && asked == spot && !asked.spread && served == clients.latest();
    if (result == null || !judged || !inOrder()) {
      return;
    }
    String what = "block " + asked.block + " of snapshot " + asked.snapshot;
    boolean damaged = result.damaged().stream().anyMatch(asked::within);
    boolean known = asked.kept && kept(asked.snapshot);
    if (damaged && (known || cluster.holders().size() > 2)) {
      throw new Violation("scrubbing could not tell what is right in " + what);
    }
    for (SimulatedNode holder : cluster.holders()) {
      boolean mayStay = damaged && holder == asked.node;
      if (!mayStay && !Arrays.equals(content(holder, asked.snapshot, asked.block), asked.right)) {
        throw new Violation("scrubbing left " + what + " other than it was on " + holder.name());
      }
    }
    if (damaged) {
      asked.spread = true;
    } else {
      spot = null;
    }
  }
}
