package dev.holdfast.engine.spdk.simulator.internal.nvme;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.engine.spdk.simulator.fabric.FabricNamespace;
import dev.holdfast.engine.spdk.simulator.fabric.FabricSubsystem;
import dev.holdfast.engine.spdk.simulator.internal.bdev.Bdev;
import dev.holdfast.engine.spdk.simulator.internal.bdev.IoType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.Set;

/** A namespace of another target as a device. */
final class NvmeBdev extends Bdev {
  private final AttachedController controller;
  private final int namespace;
  private final long blocks;

  NvmeBdev(AttachedController controller, FabricNamespace namespace) {
    super(controller.name() + "n" + namespace.id(), namespace.uuid(), namespace.blockSize());
    this.controller = controller;
    this.namespace = namespace.id();
    this.blocks = namespace.blocks();
  }

  @Override
  public long blocks() {
    return blocks;
  }

  @Override
  protected String product() {
    return "NVMe disk";
  }

  @Override
  protected Set<IoType> supported() {
    return EnumSet.of(
        IoType.READ,
        IoType.WRITE,
        IoType.FLUSH,
        IoType.RESET,
        IoType.NVME_ADMIN,
        IoType.NVME_IO,
        IoType.WRITE_ZEROES,
        IoType.COMPARE,
        IoType.COMPARE_AND_WRITE,
        IoType.ABORT,
        IoType.COPY);
  }

  @Override
  public boolean hasMemoryDomains() {
    return true;
  }

  @Override
  protected void describeAlignment(ObjectNode entry) {
    entry.put("preferred_write_alignment", 1).put("preferred_write_granularity", 1);
    entry.put("optimal_write_size", 32);
    entry.put("preferred_unmap_alignment", 1).put("preferred_unmap_granularity", 1);
    entry.put("numa_id", -1);
  }

  @Override
  protected void describe(ObjectNode driver) {
    FabricSubsystem remote = controller.remote();
    ObjectNode path = driver.putArray("nvme").addObject();
    controller.describePath(path.putObject("trid"));
    ObjectNode data = path.putObject("ctrlr_data");
    data.put("cntlid", controller.connection().controllerId()).put("vendor_id", "0x8086");
    data.put("model_number", remote.modelNumber()).put("serial_number", remote.serialNumber());
    data.put("firmware_revision", "26.05").put("subnqn", remote.nqn());
    data.putObject("oacs")
        .put("security", 0)
        .put("format", 0)
        .put("firmware", 0)
        .put("ns_manage", 0);
    data.put("multi_ctrlr", true).put("ana_reporting", remote.anaReporting());
    path.putObject("vs").put("nvme_version", "2.0");
    path.putObject("ns_data").put("id", namespace).put("can_share", true);
    driver.put("mp_policy", "active_passive");
  }

  @Override
  protected void describeStatistics(ObjectNode entry) {
    entry.putObject("driver_specific");
  }

  @Override
  protected void readNow(long offset, ByteBuffer target) throws IOException {
    int start = target.position();
    controller.run(
        namespace,
        remote -> {
          target.position(start);
          remote.read(offset, target);
        });
  }

  @Override
  protected void writeNow(long offset, ByteBuffer source) throws IOException {
    controller.run(namespace, remote -> remote.write(offset, source.duplicate()));
    source.position(source.limit());
  }

  @Override
  protected void zeroNow(long offset, long length) throws IOException {
    controller.run(namespace, remote -> remote.zero(offset, length));
  }
}
