import { adapterName, readSkinRecords } from '../../crowd/tuning/skin-records.ts';
import { doctorReport, formatDoctorReport, type DoctorTuning } from '../doctor.ts';
import { nodeDevice } from '../../node/node-gpu.ts';
import { tuningCache } from '../../node/tuning-file.ts';
import type { Issue } from '../../errors.ts';
import { describeVariant } from '../../stages/skin-vertices/variant.ts';
import { chooseKernels } from '../../stages/kernel-choice.ts';
import { exitCodeOf, print, printJson } from '../output.ts';
import { version } from '../version.ts';

export interface DoctorOptions {
  readonly json?: boolean;
}

/** `maniple doctor` */
export async function runDoctor({ json }: DoctorOptions): Promise<void> {
  const device = await nodeDevice().catch((thrown: unknown) => ({ thrown }));
  const report = doctorReport({
    device,
    variants: 'device' in device ? describeKernels(device.device) : {},
    ...('device' in device ? { tuning: await describeTuning(device.device) } : {}),
    environment: { maniple: version(), node: process.version, platform: `${process.platform} ${process.arch}` },
  });
  if (json) printJson(report);
  else
    formatDoctorReport(report)
      .split('\n')
      .forEach((line) => print(line));
  if (!report.ok) process.exitCode = exitCodeOf(report.issues);
}

/** The records of `tuneSkinning` for this adapter, in the user's cache folder. */
async function describeTuning({ adapterInfo }: GPUDevice): Promise<DoctorTuning & { issues: readonly Issue[] }> {
  const cache = tuningCache();
  const { records, issues } = await readSkinRecords(cache);
  const meshes = records
    .filter(({ adapter }) => adapter === adapterName(adapterInfo))
    .map(({ name, level, mesh, variant, nanoseconds }) => {
      return { name, level, mesh, variant: describeVariant(variant), nanoseconds };
    });
  return { from: cache.name, meshes, issues };
}

function describeKernels(device: GPUDevice): Record<string, string> {
  const { serialPoses, cachedPalettes, wideSkins } = chooseKernels(device);
  const inGroups = `palettes in workgroup memory, ${wideSkins ? 'two batches' : 'one batch'} of vertices at once`;
  return {
    'pose-joints': serialPoses ? 'one thread per character (software adapter)' : 'one thread per joint',
    'skin-vertices': cachedPalettes ? inGroups : 'palettes in storage (software adapter)',
  };
}
