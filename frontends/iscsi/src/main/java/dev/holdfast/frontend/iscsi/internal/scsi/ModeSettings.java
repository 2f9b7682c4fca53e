package dev.holdfast.frontend.iscsi.internal.scsi;

/**
 * Settings that initiators can change on the logical unit.
 *
 * @param descriptorSense whether sense data has the descriptor format
 * @param writeProtected whether writes are refused
 */
record ModeSettings(boolean descriptorSense, boolean writeProtected) {
  private static final String SENSE = "descriptor-sense";
  private static final String PROTECTED = "write-protected";

  static ModeSettings read(String text) {
    return new ModeSettings(text.contains(SENSE), text.contains(PROTECTED));
  }

  String write() {
    return (descriptorSense ? SENSE : "") + ' ' + (writeProtected ? PROTECTED : "");
  }
}
