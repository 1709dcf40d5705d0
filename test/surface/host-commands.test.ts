/** The commands of the embedding API and the events that each answers with. A change here is a change for every user. */
import { commandTable } from '@weft/core';
import { expect, it } from 'vitest';

const EVENTS: Readonly<Record<string, string>> = {
  EnsureRoom: 'RoomEnsured',
  Noop: 'NoopAck',

  OpenSession: 'SessionOpened',
  CloseSession: 'SessionClosed PresenceValueRemoved',
  ClientHello: 'WelcomePrepared',
  Subscribe: 'SubscriptionUpdated',
  RelayPeerSignal: 'PeerSignalRelayed',
  PresenceSet: 'PresenceValueSet',
  PresenceGetAll: 'PresenceValuesListed',
  PresenceSweep: 'PresenceValueRemoved',

  MapSet: 'MapValueUpserted',
  MapDelete: 'MapValueDeleted',
  MapGet: 'MapValueRead',
  MapAll: 'MapEntriesListed',
  TextInsert: 'TextValueInserted',
  TextDelete: 'TextValueDeleted',
  TextGet: 'TextValueRead',
  TextGetCanonical: 'TextValueRead',
  ListPush: 'ListValuePushed',
  ListInsert: 'ListValueInserted',
  ListDelete: 'ListValueDeleted',
  ListMove: 'ListValueMoved',
  ListUpdate: 'ListValueUpdated',
  ListGet: 'ListValueRead',

  BlobSet: 'BlobValueStored',
  BlobGet: 'BlobValueRead',
  BlobGetMany: 'BlobValuesRead',
  BlobRequest: 'BlobRedirectPrepared BlobPackPrepared',
  BlobUploaded: 'BlobAvailable UploadRejected',
  RequestUpload: 'UploadGranted UploadDenied',

  ImportPack: 'PackImported ConflictsObserved',
  RequestServerPack: 'ServerPackPrepared',
  MstRequest: 'MstResponsePrepared',
  MstDone: 'ServerPackPrepared',
  GetRecentConflicts: 'RecentConflictsListed',

  SetRoomKey: 'RoomLocked SetRoomKeyRejected',
  RotateRoomKey: 'RoomLocked RotateRoomKeyRejected',
  UnlockRoom: 'RoomUnlocked UnlockRoomRejected',
  RevokeToken: 'TokenRevoked',
  SetPolicy: 'PolicySet SetPolicyRejected',
  ServerInfo: 'ServerInfoRead',
  CompactRoom: 'RoomCompacted',
  DeleteRoom: 'RoomDeleted',
  ProvePart: 'PartProven ProvePartRejected',
  ProveValues: 'ValuesProven ProveValuesRejected',
  PruneHistory: 'HistoryPruned',
  EraseValue: 'ValueErased',
  StartTick: 'TickStarted TickAlreadyRunning',
  StopTick: 'TickStopped',

  RegisterQuerySpec: 'QuerySpecRegistered QuerySpecRejected',
  BuildProjection: 'ProjectionBuildCompleted ProjectionBuildRejected',
  ReadProjection: 'ProjectionReadResult ProjectionReadRejected',
  InvalidateProjection: 'ProjectionInvalidated ProjectionInvalidateRejected',
  ListProjections: 'ProjectionListResult ProjectionListRejected',
  ReplayReadRange: 'ReplayRangeRead ReplayReadRangeRejected',

  DescribeArchive: 'ArchiveDescribed',
  ValidateArchive: 'ArchiveValidated ArchiveValidationRejected',
  ImportArchive: 'ArchiveImported ArchiveImportRejected',
  ExportArchive: 'ArchiveExported ArchiveExportRejected',

  RevokeKeys: 'KeysRevoked',

  CreateTopologyChild: 'ChildRoomCreated',
  DescribeRoomLineage: 'RoomLineageDescribed',
  ListTopologyChildren: 'ChildrenListed',
  ProposeTopologyPromotion: 'PromotionProposed',
  PreviewTopologyPromotion: 'PromotionPreviewed',
  ValidateTopologyPromotion: 'PromotionValidated PromotionValidationRejected',
  ApplyTopologyPromotion: 'PromotionApplied',

  PromoteCheckpointToGraph: 'CheckpointPromoted',
  GetFrontier: 'FrontierQueried',
  GetCausalParents: 'CausalParentsQueried',
  GetCanonicalResolution: 'CanonicalResolutionQueried',
  ComputeSyncDiff: 'SyncDiffComputed',
  InspectPack: 'PackInspected',
};

it('host commands and their events', () => {
  const found = [...commandTable.hostCommands].map(([variant, { out, rejected }]) => {
    return [variant, [...Object.keys(out), ...(rejected ? [rejected.name] : [])].join(' ')];
  });
  expect(Object.fromEntries(found)).toEqual(EVENTS);
});
