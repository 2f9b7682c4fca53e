package dev.holdfast.engine.testkit;

/** Rules of the kit that a toy engine can break, with the test that must find it. */
enum ToyFault {
  NONE("", ""),
  OTHER_BYTES("Exports", "exportHasTheBytesOfTheDevice"),
  FORGETS_EXPORT("Exports", "exportingAgainFindsTheSameExport"),
  ADMITS_ALL_HOSTS("Exports", "onlyHostsOfTheRequestConnect"),
  CLOSE_KEEPS_CONNECTIONS("Exports", "withdrawnExportReachesTheVolumeNoMore"),
  VOLUME_KEEPS_EXPORT("Exports", "closingTheVolumeWithdrawsItsExports"),
  DECLARES_OTHER_PROTOCOL("Capabilities", "openVolumeCanDoWhatIsDeclaredAndNoMore"),
  ANY_PROTOCOL("Exports", "unknownProtocolIsNamed"),
  NO_STATISTICS("Exports", "statisticsCountRequestsOfHosts"),
  TAKEOVER_KEEPS_EXPORT("Exports", "laterOpeningEndsTheExportBeforeItServes"),
  NO_HOLD("ExportControl", "heldRequestWaitsWithoutAnErrorAndTakesEffectAfterwards"),
  HOLD_FAILS_REQUESTS("ExportControl", "heldRequestWaitsWithoutAnErrorAndTakesEffectAfterwards"),
  HOLD_DOES_NOT_DRAIN("ExportControl", "nothingChangesBetweenTheReturnOfHoldAndItsEnd"),
  HOLDS_TWICE("ExportControl", "heldExportIsBusy"),
  NO_LIMIT("ExportControl", "limitOfWrittenBytesIsKeptOrRefused"),
  REFUSES_LIMIT_WITHOUT_NAME("ExportControl", "limitOfRequestsIsKeptOrRefused"),
  NO_ACCESS_STATE("ExportControl", "inaccessiblePathRefusesRequestsUntilItIsOptimizedAgain"),
  HANDOVER_ENDS_EXPORT("ExportLife", "requestsContinueWhileEnginesReplaceEachOther"),
  ENDS_WITH_ENGINE("ExportLife", "exportServesWhileNoEngineRunsAndIsAdopted"),
  ADOPTS_OLD_GENERATION("ExportLife", "exportOfAnEarlierGenerationIsWithdrawnInsteadOfAdopted"),
  WITHDRAWS_WITHOUT_REGISTER("ExportLife", "withoutTheRegisterNothingIsAdoptedAndNothingEnds"),
  KEEPS_WHAT_WAS_LEFT("ExportLife", "whatWasLeftIsWithdrawnOnRequestAndByAnOpening");

  private final String topic;
  private final String test;

  ToyFault(String topic, String test) {
    this.topic = topic;
    this.test = test;
  }

  String topic() {
    return topic;
  }

  String test() {
    return test;
  }
}
