package dev.holdfast.host;

/**
 * State of a device of the device mapper.
 *
 * @param name of the device
 * @param uuid as it was created with; empty for none
 * @param number major and minor number, such as {@code 254:3}
 * @param suspended whether its requests wait
 * @param liveTable whether it has a table that serves requests
 * @param inactiveTable whether a table waits for the next resume
 * @param openCount how many programs and other devices use it
 */
public record MappedDevice(
    String name,
    String uuid,
    String number,
    boolean suspended,
    boolean liveTable,
    boolean inactiveTable,
    int openCount) {
  /** Returns its path. */
  public String path() {
    return "/dev/mapper/" + name;
  }
}
