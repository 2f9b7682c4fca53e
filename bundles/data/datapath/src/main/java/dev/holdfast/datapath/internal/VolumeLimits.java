package dev.holdfast.datapath.internal;

import dev.holdfast.block.filter.IoLimits;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeQos;

/** Reads the limits that a Volume sets for its hosts. */
final class VolumeLimits {
  private VolumeLimits() {}

  static IoLimits of(Volume volume) {
    VolumeQos qos = volume.spec().qos();
    return new IoLimits(
        qos.iops(),
        qos.bandwidth().bytes(),
        qos.readIops(),
        qos.readBandwidth().bytes(),
        qos.writeIops(),
        qos.writeBandwidth().bytes(),
        qos.burstSeconds());
  }
}
